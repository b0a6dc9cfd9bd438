# The same Node that package-lock.json brings elsewhere, and that the tests run on.
FROM node:24.21.0-trixie-slim AS node

FROM node AS packages
WORKDIR /troupe
COPY package.json package-lock.json ./
# The image has its Node already.
RUN npm ci --omit=dev --no-audit --no-fund \
 && rm -r node_modules/node-linux-* node_modules/.bin/node

FROM node
LABEL org.opencontainers.image.title="troupe" \
      org.opencontainers.image.description="A bot for Discord and Slack that chats, speaks, draws and films on one key of one service" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.base.name="docker.io/library/node:24.21.0-trixie-slim"
# Charts need a font that has Chinese.
RUN apt-get update \
 && apt-get install -y --no-install-recommends fonts-noto-cjk \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /troupe
COPY package.json package-lock.json LICENSE ./
COPY commands commands
COPY src src
# Everything is root’s, and anyone may read it, also where the checkout is closed to others; only `data` is the bot’s.
RUN chmod -R a+rX,go-w . \
 && mkdir -m 700 data \
 && chown 1000:1000 data
COPY --from=packages /troupe/node_modules node_modules
# The image’s user `node`, as a number: Kubernetes’ `runAsNonRoot` doesn’t look names up.
USER 1000:1000
# Nothing is written anywhere but in the volume, not even what SQLite sorts on disk, or the code once it’s compiled.
ENV NODE_ENV=production HOST=0.0.0.0 TMPDIR=/troupe/data NODE_COMPILE_CACHE=/troupe/data/compiled
VOLUME /troupe/data
EXPOSE 8787
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "src/scripts/health.ts"]
# As `npm start`. New objects would take up to 64 MB before they're collected, without being any faster.
CMD ["node", "--max-semi-space-size=8", "src/main.js"]
