# An image with nothing but the command:
#
#   docker build -t troupe .
#   docker run --rm -v "$PWD/my_model:/model:ro" troupe run /model --feed x=[1,2,3]
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /troupe ./cmd/troupe

FROM scratch
COPY --from=build /troupe /troupe
USER 65532:65532
ENTRYPOINT ["/troupe"]
