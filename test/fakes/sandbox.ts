import type { ListeningSandbox } from '../../src/sandbox/index.ts';

type Reached = Pick<ListeningSandbox, 'url' | 'key'>;

/** What a sandbox says that an account has spent. */
interface Meter {
  readonly credits: number;
  readonly operations: Readonly<Record<string, { readonly calls: number; readonly credits: number }>>;
}

/** Changes a sandbox, as its control endpoint takes it. */
export async function changeSandbox({ url, key }: Reached, change: object): Promise<void> {
  const answer = await fetch(`${url}/sandbox/control`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
  if (!answer.ok) throw new Error(`the sandbox refuses the change: ${await answer.text()}`);
}

/** What has been spent at a sandbox so far. */
export async function meterOf({ url, key }: Reached): Promise<Meter> {
  const answer = await fetch(`${url}/sandbox/meter`, { headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error('the sandbox has no meter');
  return (await answer.json()) as Meter;
}
