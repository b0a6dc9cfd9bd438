import { once } from 'node:events';
import { createServer } from 'node:http';
import { Postgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a worker asks for a database of its own: `POST` makes one, `DELETE` drops it. */
    readonly postgresDatabases: string;
  }
}

const template = 'migrated';

/**
 * Vitest's global set-up: one PostgreSQL for all workers of a run, started when the first of them asks for a database.
 * A copy of a database with its tables made takes some 50 ms; making the tables would take longer.
 */
export async function setup(project: {
  provide(key: 'postgresDatabases', value: string): void;
}): Promise<() => Promise<void>> {
  let starting: Promise<Postgres> | undefined;
  let count = 0;
  const answer = async (method: string | undefined, name: string): Promise<string> => {
    starting ??= start();
    const server = await starting;
    if (method === 'DELETE') {
      await server.run(`drop database if exists ${name} with (force)`);
      return '';
    }
    const fresh = `test_${++count}`;
    const source = name === 'empty' ? 'template0' : template;
    await server.run(`create database ${fresh} template ${source} strategy file_copy`);
    return server.url(fresh);
  };
  const http = createServer((request, response) => {
    answer(request.method, (request.url ?? '').slice(1)).then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  http.unref();
  const address = http.address();
  project.provide(
    'postgresDatabases',
    `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
  );
  return async () => {
    http.close();
    http.closeAllConnections();
    await (await starting)?.close();
  };
}

async function start(): Promise<Postgres> {
  const server = await Postgres.start({ synchronous_commit: 'off' });
  await server.run(`create database ${template}`);
  const { openDatabase } = await import('../../../src/store/index.ts');
  await (await openDatabase(server.url(template))).destroy();
  return server;
}
