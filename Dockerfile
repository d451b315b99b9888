# The command: docker build -t plumb .
# The server:  docker build -t plumb-server --target server .

FROM swift:6.3-bookworm AS source
RUN apt-get update && apt-get install -y --no-install-recommends pkg-config libgdal-dev libtiff-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /plumb
COPY . .

FROM source AS build
RUN swift build -c release --static-swift-stdlib --product plumb

FROM source AS build-server
RUN PLUMB_WITH_SERVER=1 swift build -c release --static-swift-stdlib --product plumb-server

FROM debian:bookworm-slim AS server
# Cairo and fonts are for pictures, Leaflet is for the page's map.
RUN apt-get update && apt-get install -y --no-install-recommends \
  libgdal32 libcairo2 fonts-dejavu-core libjs-leaflet \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build-server /plumb/.build/release/plumb-server /usr/local/bin/plumb-server
# A number, so that Kubernetes can verify that the user is not root.
USER 10001:10001
WORKDIR /maps
EXPOSE 8080
# Uses bash, because the image has no curl. For port 8080 without HTTPS.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && grep -q '^ok' <&3"]
ENTRYPOINT ["plumb-server", "--bind", "0.0.0.0"]

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libgdal32 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /plumb/.build/release/plumb /usr/local/bin/plumb
WORKDIR /data
ENTRYPOINT ["plumb"]
