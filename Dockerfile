# One image, one static binary: `serve`, `worker`, `migrate` and the operators' tools are its arguments.
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w" -o /research .

# Certificates and time zones, no shell; the user is 65532.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /research /research
# The service writes nothing to disk: mails need SMTP_URL, unless a folder is mounted and named by MAIL_DIR.
ENV HTTP_ADDR=:8080
EXPOSE 8080
ENTRYPOINT ["/research"]
CMD ["serve"]
