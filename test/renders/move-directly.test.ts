import { beforeEach, expect, it } from 'vitest';
import { type Job, type Message, type MessageAddress, PlatformError } from '../../src/port/index.ts';
import type { LifecycleContext } from '../../src/renders/dependencies.ts';
import { movedBeforeClosing } from '../../src/renders/lifecycle/poll.ts';
import type { Render } from '../../src/renders/render.ts';

const hidden = { platform: 'discord', workspace: 'g', channel: 'c', onlyFor: 'ann', message: '1' } as const;
const direct = { platform: 'discord', workspace: 'd', channel: 'd' } as const;
const minute = 60_000;
const closesAt = 14 * minute;

let now: number;
let refusal: PlatformError | undefined;
let posted: [MessageAddress, Message][];
let edited: (string | undefined)[];
let changes: object[];
let context: LifecycleContext;
let render: Render;

const job = (options: object) =>
  ({ id: 'j', command: 'video', options, address: hidden, requester: { id: 'ann' } }) as unknown as Job;

beforeEach(() => {
  now = 13 * minute;
  refusal = undefined;
  posted = [];
  edited = [];
  changes = [];
  render = {
    id: 'j',
    job: 'j',
    kind: 'video',
    message: hidden,
    waited: 5,
    createdAt: 0,
  } as unknown as Render;
  const adapter = {
    closesAt: ({ onlyFor }: MessageAddress) => (onlyFor === undefined ? undefined : closesAt),
    directMessages: async () => direct,
    post: async (address: MessageAddress, message: Message) => {
      if (refusal) throw refusal;
      posted.push([address, message]);
      return { ...address, message: '2' };
    },
    edit: async (_: MessageAddress, { text }: Message) => void edited.push(text),
  };
  const presenter = () => ({
    progress: () => ({ text: 'Rendering…' }),
    movesDirectly: () => ({ goesOn: 'goes on directly', isKept: 'is kept' }),
  });
  context = {
    pending: { id: 'j' },
    dependencies: {
      adapters: () => adapter,
      clock: { now: () => now },
      presenters: { image: presenter, video: presenter },
      store: { move: async (of: string, message: object) => void changes.push({ of, message }) },
      log: { warn: () => {} },
    },
  } as unknown as LifecycleContext;
});

const move = (options: object = { private: true }) => movedBeforeClosing(context, render, job(options));

it('a private render goes on in direct messages before its message closes, and says so', async () => {
  expect((await move()).message).toEqual({ ...direct, message: '2' });
  expect(posted).toEqual([[direct, { text: 'Rendering…' }]]);
  expect(edited).toEqual(['goes on directly']);
  expect(changes).toEqual([{ of: 'j', message: { ...direct, message: '2' } }]);
});

it('so does one for everybody whose message closes', async () => {
  expect((await move({})).message).toEqual({ ...direct, message: '2' });
  expect(edited).toEqual(['goes on directly']);
});

it('stays where it is for as long as that can be changed', async () => {
  now = 12 * minute;
  expect(await move()).toBe(render);
  expect(posted).toEqual([]);
});

it('says once where the result can be fetched if direct messages are closed', async () => {
  refusal = new PlatformError('no-permission');
  expect(await move()).toBe(render);
  expect(await move()).toBe(render);
  expect(edited).toEqual(['is kept']);
  expect(changes).toEqual([]);
});

it('tries again at the next look if the platform is away', async () => {
  refusal = new PlatformError('unreachable');
  expect(await move()).toBe(render);
  expect(edited).toEqual([]);
  refusal = undefined;
  expect((await move()).message).toEqual({ ...direct, message: '2' });
});
