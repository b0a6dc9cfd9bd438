import { Client } from 'pg';
import { vi } from 'vitest';
import { endsWithTest } from '../../at-end.ts';

/** PostgreSQL as this process sees it, which swallows what it's asked about something. */
export interface Swallowing {
  /** What it was asked so far. */
  readonly asked: readonly string[];
  /** It gets what it was asked after all. */
  release(): void;
}

/**
 * Has PostgreSQL answer nothing to statements of this process that match, for as long as a test likes: a lock there would
 * be given up by the machine's clock.
 */
export function swallow(about: RegExp): Swallowing {
  const asked: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const send = Client.prototype.query as (...of: unknown[]) => unknown;
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: Client,
    ...of: unknown[]
  ) {
    const [query] = of as [string | { readonly text: string }];
    const text = typeof query === 'string' ? query : query.text;
    if (!about.test(text)) return send.apply(this, of);
    asked.push(text);
    return released.then(() => send.apply(this, of));
  } as never);
  endsWithTest(() => {
    spy.mockRestore();
    release();
  });
  return {
    asked,
    release: () => {
      spy.mockRestore();
      release();
    },
  };
}
