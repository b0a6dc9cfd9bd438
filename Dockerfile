FROM node:24-bookworm-slim
# Charts need a font that has Chinese.
RUN apt-get update \
 && apt-get install -y --no-install-recommends fonts-noto-cjk \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /troupe
COPY package.json package-lock.json ./
# The image has its Node already.
RUN npm ci --omit=dev && rm -r node_modules/node-linux-* node_modules/.bin/node
COPY commands commands
COPY src src
RUN mkdir data && chown node:node data
USER node
ENV NODE_ENV=production HOST=0.0.0.0
VOLUME /troupe/data
EXPOSE 8787
HEALTHCHECK CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 8787}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts"]
