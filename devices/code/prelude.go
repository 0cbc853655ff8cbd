package code

// prelude makes one language of OpenCL C and CUDA C. T is what a function computes
// with and S how elements are stored; they differ for half and bfloat16. Indices are of
// type I, of 32 bits unless WIDE says otherwise, as divisions of 64 bits are slow;
// OVER(x, d, by) is x / d, for which [divisor] has worked by out. KERNEL_OF is a kernel
// that is launched in groups of so many threads, of which a processor should have room for
// so many.
const prelude = `#ifdef __OPENCL_VERSION__
typedef char i8; typedef uchar u8; typedef short i16; typedef ushort u16;
typedef int i32; typedef uint u32; typedef long i64; typedef ulong u64;
#define KERNEL __kernel void
#define KERNEL_OF(threads, groups) __kernel __attribute__((reqd_work_group_size(threads, 1, 1))) void
#define GLOBAL __global
#define LOCAL __local
#define HELPER static
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define GROUP(d) ((i64)get_group_id(d))
#define GROUPS(d) ((i64)get_num_groups(d))
#define THREAD(d) ((i32)get_local_id(d))
#define THREADS(d) ((i32)get_local_size(d))
#define AS_F32(x) as_float(x)
#define AS_U32(x) as_uint(x)
#else
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned int u32; typedef long long i64; typedef unsigned long long u64;
#define KERNEL extern "C" __global__ void
#define KERNEL_OF(threads, groups) extern "C" __global__ void __launch_bounds__(threads, groups)
#define GLOBAL
#define LOCAL __shared__
#define HELPER static __device__
#define BARRIER() __syncthreads()
#define GROUP(d) ((i64)((d) == 0 ? blockIdx.x : (d) == 1 ? blockIdx.y : blockIdx.z))
#define GROUPS(d) ((i64)((d) == 0 ? gridDim.x : (d) == 1 ? gridDim.y : gridDim.z))
#define THREAD(d) ((i32)((d) == 0 ? threadIdx.x : (d) == 1 ? threadIdx.y : threadIdx.z))
#define THREADS(d) ((i32)((d) == 0 ? blockDim.x : (d) == 1 ? blockDim.y : blockDim.z))
#define AS_F32(x) __uint_as_float(x)
#define AS_U32(x) __float_as_uint(x)
#endif
typedef float f32;
#define ALIGNED(bytes) __attribute__((aligned(bytes)))
#ifdef WIDE
typedef i64 I;
#define OVER(x, d, by) ((x) / (d))
#else
typedef i32 I;
#define OVER(x, d, by) ((I)(((u32)((u64)(u32)(x) * (u32)(by) >> 32) + (u32)(x)) >> (u32)((u64)(by) >> 32)))
#endif
#define FIRST (GROUP(0) * THREADS(0) + THREAD(0))
#define STEP (GROUPS(0) * THREADS(0))
#define EACH(i, n) for (I i = (I)FIRST; i < (n); i += (I)STEP)
`

// narrow converts half and bfloat16 from and to float, to the nearest, ties to even.
const narrow = `HELPER f32 from_bf16(u16 x) { return AS_F32((u32)x << 16); }
HELPER u16 to_bf16(f32 f) {
  u32 x = AS_U32(f);
  if ((x & 0x7fffffffu) > 0x7f800000u) return (u16)(x >> 16 | 0x40u);
  return (u16)((x + 0x7fffu + (x >> 16 & 1u)) >> 16);
}
#ifndef __OPENCL_VERSION__
HELPER f32 from_f16(u16 h) { f32 f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); return f; }
HELPER u16 to_f16(f32 f) { u16 h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f)); return h; }
#else
HELPER f32 from_f16(u16 h) {
  u32 sign = (u32)(h & 0x8000u) << 16, e = h >> 10 & 31u, m = h & 0x3ffu;
  if (e == 31u) return AS_F32(sign | 0x7f800000u | m << 13);
  if (e == 0u) {
    f32 f = (f32)m * 5.9604644775390625e-8f;
    return sign ? -f : f;
  }
  return AS_F32(sign | (e + 112u) << 23 | m << 13);
}
HELPER u16 to_f16(f32 f) {
  u32 x = AS_U32(f), sign = x >> 16 & 0x8000u, a = x & 0x7fffffffu;
  if (a > 0x7f800000u) return (u16)(sign | 0x7e00u | (a >> 13 & 0x3ffu));
  if (a >= 0x47800000u) return (u16)(sign | 0x7c00u);
  if (a < 0x38800000u) {
    u32 shift = 126u - (a >> 23), m = (a & 0x7fffffu) | 0x800000u, q, r, tie;
    if (a < 0x33000000u) return (u16)sign;
    q = m >> shift; r = m & ((1u << shift) - 1u); tie = 1u << (shift - 1u);
    return (u16)(sign | (q + (r > tie || (r == tie && (q & 1u)))));
  }
  return (u16)(sign | ((a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13));
}
#endif
`
