package strings

import (
	"cmp"
	"slices"
	"sync"
	"unicode"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("UnicodeScript").
		Input("input: int32").Output("output: int32").
		Traits(registry.Elementwise | registry.Total).
		Doc("Returns the script of code points, as the numbers of ICU's UScriptCode; -1 for what is no code point.")

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(script), nil }, "UnicodeScript")
}

func script(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := ctx.Alloc(tensor.Int32, in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	return each(ctx, tensor.Of[int32](&in[0]), tensor.Of[int32](&out[0]), func(r int32) (int32, error) { return scriptOf(r), nil })
}

const unknownScript = 103

// scriptOf is ICU's UScriptCode of a code point, -1 for what is none.
func scriptOf(r rune) int32 {
	if r < 0 || r > unicode.MaxRune {
		return -1
	}
	ranges := scriptRanges()
	i, found := slices.BinarySearchFunc(ranges, r, func(s scriptRange, r rune) int {
		switch {
		case s.hi < r:
			return -1
		case s.lo > r:
			return 1
		}
		return 0
	})
	if !found {
		return unknownScript
	}
	return ranges[i].code
}

// A scriptRange is the code points from lo to hi, which have one script.
type scriptRange struct {
	lo, hi rune
	code   int32
}

var scriptRanges = sync.OnceValue(func() []scriptRange {
	var all []scriptRange
	add := func(lo, hi, stride rune, code int32) {
		if stride == 1 {
			all = append(all, scriptRange{lo, hi, code})
			return
		}
		for r := lo; r <= hi; r += stride {
			all = append(all, scriptRange{r, r, code})
		}
	}
	for _, s := range scripts {
		for _, r := range s.table.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride), s.code)
		}
		for _, r := range s.table.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride), s.code)
		}
	}
	sorted.By(all, func(a, b scriptRange) int { return cmp.Compare(a.lo, b.lo) })
	return all
})

// scripts lists the scripts of Unicode with ICU's numbers.
var scripts = []struct {
	code  int32
	table *unicode.RangeTable
}{
	{0, unicode.Common},
	{1, unicode.Inherited},
	{2, unicode.Arabic},
	{3, unicode.Armenian},
	{4, unicode.Bengali},
	{5, unicode.Bopomofo},
	{6, unicode.Cherokee},
	{7, unicode.Coptic},
	{8, unicode.Cyrillic},
	{9, unicode.Deseret},
	{10, unicode.Devanagari},
	{11, unicode.Ethiopic},
	{12, unicode.Georgian},
	{13, unicode.Gothic},
	{14, unicode.Greek},
	{15, unicode.Gujarati},
	{16, unicode.Gurmukhi},
	{17, unicode.Han},
	{18, unicode.Hangul},
	{19, unicode.Hebrew},
	{20, unicode.Hiragana},
	{21, unicode.Kannada},
	{22, unicode.Katakana},
	{23, unicode.Khmer},
	{24, unicode.Lao},
	{25, unicode.Latin},
	{26, unicode.Malayalam},
	{27, unicode.Mongolian},
	{28, unicode.Myanmar},
	{29, unicode.Ogham},
	{30, unicode.Old_Italic},
	{31, unicode.Oriya},
	{32, unicode.Runic},
	{33, unicode.Sinhala},
	{34, unicode.Syriac},
	{35, unicode.Tamil},
	{36, unicode.Telugu},
	{37, unicode.Thaana},
	{38, unicode.Thai},
	{39, unicode.Tibetan},
	{40, unicode.Canadian_Aboriginal},
	{41, unicode.Yi},
	{42, unicode.Tagalog},
	{43, unicode.Hanunoo},
	{44, unicode.Buhid},
	{45, unicode.Tagbanwa},
	{46, unicode.Braille},
	{47, unicode.Cypriot},
	{48, unicode.Limbu},
	{49, unicode.Linear_B},
	{50, unicode.Osmanya},
	{51, unicode.Shavian},
	{52, unicode.Tai_Le},
	{53, unicode.Ugaritic},
	{55, unicode.Buginese},
	{56, unicode.Glagolitic},
	{57, unicode.Kharoshthi},
	{58, unicode.Syloti_Nagri},
	{59, unicode.New_Tai_Lue},
	{60, unicode.Tifinagh},
	{61, unicode.Old_Persian},
	{62, unicode.Balinese},
	{63, unicode.Batak},
	{65, unicode.Brahmi},
	{66, unicode.Cham},
	{71, unicode.Egyptian_Hieroglyphs},
	{75, unicode.Pahawh_Hmong},
	{76, unicode.Old_Hungarian},
	{78, unicode.Javanese},
	{79, unicode.Kayah_Li},
	{82, unicode.Lepcha},
	{83, unicode.Linear_A},
	{84, unicode.Mandaic},
	{86, unicode.Meroitic_Hieroglyphs},
	{87, unicode.Nko},
	{88, unicode.Old_Turkic},
	{89, unicode.Old_Permic},
	{90, unicode.Phags_Pa},
	{91, unicode.Phoenician},
	{92, unicode.Miao},
	{99, unicode.Vai},
	{101, unicode.Cuneiform},
	{104, unicode.Carian},
	{106, unicode.Tai_Tham},
	{107, unicode.Lycian},
	{108, unicode.Lydian},
	{109, unicode.Ol_Chiki},
	{110, unicode.Rejang},
	{111, unicode.Saurashtra},
	{112, unicode.SignWriting},
	{113, unicode.Sundanese},
	{115, unicode.Meetei_Mayek},
	{116, unicode.Imperial_Aramaic},
	{117, unicode.Avestan},
	{118, unicode.Chakma},
	{120, unicode.Kaithi},
	{121, unicode.Manichaean},
	{122, unicode.Inscriptional_Pahlavi},
	{123, unicode.Psalter_Pahlavi},
	{125, unicode.Inscriptional_Parthian},
	{126, unicode.Samaritan},
	{127, unicode.Tai_Viet},
	{130, unicode.Bamum},
	{131, unicode.Lisu},
	{133, unicode.Old_South_Arabian},
	{134, unicode.Bassa_Vah},
	{135, unicode.Duployan},
	{136, unicode.Elbasan},
	{137, unicode.Grantha},
	{140, unicode.Mende_Kikakui},
	{141, unicode.Meroitic_Cursive},
	{142, unicode.Old_North_Arabian},
	{143, unicode.Nabataean},
	{144, unicode.Palmyrene},
	{145, unicode.Khudawadi},
	{146, unicode.Warang_Citi},
	{149, unicode.Mro},
	{150, unicode.Nushu},
	{151, unicode.Sharada},
	{152, unicode.Sora_Sompeng},
	{153, unicode.Takri},
	{154, unicode.Tangut},
	{156, unicode.Anatolian_Hieroglyphs},
	{157, unicode.Khojki},
	{158, unicode.Tirhuta},
	{159, unicode.Caucasian_Albanian},
	{160, unicode.Mahajani},
	{161, unicode.Ahom},
	{162, unicode.Hatran},
	{163, unicode.Modi},
	{164, unicode.Multani},
	{165, unicode.Pau_Cin_Hau},
	{166, unicode.Siddham},
	{167, unicode.Adlam},
	{168, unicode.Bhaiksuki},
	{169, unicode.Marchen},
	{170, unicode.Newa},
	{171, unicode.Osage},
	{175, unicode.Masaram_Gondi},
	{176, unicode.Soyombo},
	{177, unicode.Zanabazar_Square},
	{178, unicode.Dogra},
	{179, unicode.Gunjala_Gondi},
	{180, unicode.Makasar},
	{181, unicode.Medefaidrin},
	{182, unicode.Hanifi_Rohingya},
	{183, unicode.Sogdian},
	{184, unicode.Old_Sogdian},
	{185, unicode.Elymaic},
	{186, unicode.Nyiakeng_Puachue_Hmong},
	{187, unicode.Nandinagari},
	{188, unicode.Wancho},
	{189, unicode.Chorasmian},
	{190, unicode.Dives_Akuru},
	{191, unicode.Khitan_Small_Script},
	{192, unicode.Yezidi},
	{193, unicode.Cypro_Minoan},
	{194, unicode.Old_Uyghur},
	{195, unicode.Tangsa},
	{196, unicode.Toto},
	{197, unicode.Vithkuqi},
	{198, unicode.Kawi},
	{199, unicode.Nag_Mundari},
}
