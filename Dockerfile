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

FROM temporalio/admin-tools:1.29.7-tctl-1.18.4-cli-1.7.2 AS temporal

# The same with a shell, PostgreSQL's programs for backup, restore and drill, and the temporal CLI: docker build
# --target operator --build-arg POSTGRES=17, the major version of the server.
FROM postgres:${POSTGRES}-alpine AS operator
COPY --from=build /research /usr/local/bin/research
COPY --from=temporal /usr/local/bin/temporal /usr/local/bin/temporal
# A volume that is mounted here gets its owner.
RUN install -d -m 0700 -o 65532 -g 65532 /backups
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
