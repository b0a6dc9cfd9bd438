import { describe, expect, it } from 'vitest';
import type { ControlOutcome, ControlRoom } from '../../../../src/port/index.ts';
import { startStage } from '../support/stage.ts';
import { cookieOf, enteredBy, keyHeaderOf, rawStatus } from '../support/visitor.ts';

const token = 'a token of thirty-two characters';

/** A control room that notes what it's told to do. */
function notingRoom(): { readonly room: ControlRoom; readonly done: string[] } {
  const done: string[] = [];
  const note = async (what: string): Promise<ControlOutcome> => {
    done.push(what);
    return 'done';
  };
  const none = { chat: 0, speech: 0, image: 0, video: 0 };
  const room: ControlRoom = {
    state: async () => ({
      at: 0,
      spending: { days: [{ day: 0, kinds: none }], places: [], people: [], isWhole: true },
      places: [],
      live: [],
      hasMoreLive: false,
      queue: { calls: {}, renders: 0, deliveries: 0 },
      faults: [],
    }),
    trail: async () => [],
    switchPlace: ({ workspace }, isOff) => note(`${isOff ? 'off' : 'on'} ${workspace}`),
    setCeiling: ({ workspace }, credits) => note(`${credits} ${workspace}`),
    cancel: (job) => note(`cancel ${job}`),
    retry: (job) => note(`retry ${job}`),
    sendTest: (id) => note(`test ${id}`),
  };
  return { room, done };
}

async function logIn(url: string): Promise<Response> {
  return fetch(`${url}/console/session`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token }),
  });
}

const actions = [
  ['switch', { platform: 'discord', workspace: '1', off: true }],
  ['ceiling', { platform: 'slack', workspace: 'T1', credits: 5 }],
  ['cancel', { job: 'abc' }],
  ['retry', { job: 'abc' }],
  ['test', { id: 'abc' }],
] as const;

describe('the control room', () => {
  it('isn’t there without a token', async () => {
    const { room, done } = notingRoom();
    const stage = await startStage({ controlRoom: room });
    const visitor = await stage.visit();
    expect((await visitor.state()).hasControlRoom).toBe(false);
    expect((await visitor.fetch('control')).status).toBe(404);
    for (const [action, body] of actions) {
      const headers = { 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      expect((await visitor.fetch(`control/${action}`, sent)).status, action).toBe(404);
    }
    expect(done).toEqual([]);
  });

  it('is for whoever gave the token, from the page itself', async () => {
    const { room, done } = notingRoom();
    const stage = await startStage({ controlRoom: room, token });
    const entered = await logIn(stage.url);
    const visitor = enteredBy(stage.url, entered);
    expect((await visitor.state()).hasControlRoom).toBe(true);
    expect(await visitor.json<object>('control')).toMatchObject({ live: [], faults: [] });
    for (const [action, body] of actions)
      expect(await visitor.json(`control/${action}`, body)).toEqual({ outcome: 'done' });
    expect(done).toEqual(['off 1', '5 T1', 'cancel abc', 'retry abc', 'test abc']);

    const { host } = new URL(stage.url);
    const cookie = cookieOf(entered);
    const { 'x-console-key': key } = keyHeaderOf(entered);
    const type = { 'content-type': 'application/json' };
    const own = { host, cookie, 'x-console-key': key, ...type, 'sec-fetch-site': 'same-origin' };
    for (const [action] of actions) {
      const at = `${stage.url}/console/control/${action}`;
      const post = (headers: Record<string, string>) => rawStatus(at, headers, 'POST');
      // Came through, and its empty body makes no sense.
      expect(await post({ ...own, origin: stage.url })).toBe(400);
      expect(await post({ host, ...type }), 'no session').toBe(401);
      expect(await post({ host, cookie, ...type }), 'the cookie alone').toBe(401);
      expect(await post({ ...own, 'x-console-key': 'x' }), 'a wrong key').toBe(401);
      expect(await post({ ...own, origin: 'https://evil.example' }), 'another site').toBe(403);
      expect(await post({ ...own, 'sec-fetch-site': 'cross-site' }), 'another site').toBe(403);
      expect(await rawStatus(at, own), 'a link').toBe(404);
    }
    expect(await rawStatus(`${stage.url}/console/control`, { host }), 'no session').toBe(401);
    expect(await rawStatus(`${stage.url}/console/control`, { host, cookie }), 'the cookie alone').toBe(401);
    const form = { ...own, 'content-type': 'text/plain', origin: stage.url };
    expect(await rawStatus(`${stage.url}/console/control/cancel`, form, 'POST')).toBe(400);
    const wrong = { platform: 'discord', workspace: '', off: true };
    await expect(visitor.json('control/switch', wrong)).rejects.toThrow('400');
    await expect(visitor.json('control/ceiling', { ...actions[1][1], credits: -1 })).rejects.toThrow('400');
    await visitor.fetch('session', { method: 'DELETE' });
    expect((await visitor.fetch('control')).status, 'after log-out').toBe(401);
    expect(done.length).toBe(actions.length);
  });
});
