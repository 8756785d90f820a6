# An image with one static binary. The commands, such as serve, worker and migrate, are its arguments.
ARG POSTGRES=17
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# What `research version` prints.
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w -X research/cli.release=${VERSION}" \
    -o /research .

# The same with PostgreSQL's programs, for backup, restore and drill: docker build --target operator
# --build-arg POSTGRES=17, the major version of the server.
FROM postgres:${POSTGRES}-alpine AS operator
COPY --from=build /research /usr/local/bin/research
USER 65532
ENTRYPOINT ["research"]
CMD ["help"]

# It has certificates and time zones, and no shell. The user is 65532.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /research /research
# The service writes nothing to disk, so mails need SMTP_URL, or a mounted folder in MAIL_DIR.
ENV HTTP_ADDR=:8080
EXPOSE 8080
ENTRYPOINT ["/research"]
CMD ["serve"]
