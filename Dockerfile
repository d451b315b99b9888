FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends pkg-config libgdal-dev libtiff-dev
WORKDIR /plumb
COPY . .
RUN swift build -c release --static-swift-stdlib --product plumb

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libgdal32 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /plumb/.build/release/plumb /usr/local/bin/plumb
WORKDIR /data
ENTRYPOINT ["plumb"]
