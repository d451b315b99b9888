# Images of the command and of the server. The context is the folder of the archive that
# Sources/PlumbPackaging/build-archive makes:
#
#   docker build -t plumb -f Dockerfile plumb-VERSION-linux-x86_64
#   docker build -t plumb-server --target server -f Dockerfile plumb-VERSION-linux-x86_64
#
# Sources/PlumbPackaging/build-images builds both without Docker.

ARG BASE=debian:bookworm-slim
FROM ${BASE} AS base
# Debian removes the versions of packages that it replaces.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
COPY README.txt LICENSE NOTICE /opt/plumb/
COPY lib /opt/plumb/lib
COPY share /opt/plumb/share
COPY licences /opt/plumb/licences
ENV PATH=/opt/plumb:$PATH
# A number, so that Kubernetes can verify that the user is not root.
USER 10001:10001

FROM base AS server
COPY plumb-server /opt/plumb/
WORKDIR /maps
EXPOSE 8080
# Uses bash, because the image has no curl. For port 8080 without HTTPS.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && grep -q '^ok' <&3"]
ENTRYPOINT ["plumb-server", "--bind", "0.0.0.0"]

FROM base AS command
COPY plumb /opt/plumb/
WORKDIR /data
ENTRYPOINT ["plumb"]
