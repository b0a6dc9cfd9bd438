import Keyv from 'keyv';
import { expect, it } from 'vitest';
import { ImageVersions, type ImageVersionsDependencies } from '../../src/app/results/image-versions.ts';
import { KeyedQueue } from '../../src/lib/clock.ts';
import {
  type IncomingFile,
  type Job,
  type Message,
  type PlatformAdapter,
  PlatformError,
} from '../../src/port/index.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { admin, ann, Stage, type Standing } from './support/stage.ts';

let stage: Stage;
/** What was put in the place of what presses acknowledged. */
const settled: Message[] = [];
let reading: Promise<void> = Promise.resolve();
/** What the platform does with a request for a file. */
let readFile: PlatformAdapter['readFile'];

/** A place where a message's files can be replaced, as on Discord. */
async function openStage(): Promise<void> {
  stage = await Stage.open({ crashes: true });
  settled.length = 0;
  reading = Promise.resolve();
  readFile = async () => Buffer.from('iVBORw0KGgo=', 'base64');
  const adapter = stage.adapter.bind(stage);
  stage.adapter = (): PlatformAdapter => ({
    ...adapter(),
    replacesFiles: () => true,
    attachments: async ({ message }) => {
      await reading;
      const files = stage.standing.find(({ id }) => id === message)?.message.files ?? [];
      return files.map(({ name, contentType }): IncomingFile => ({
        name,
        contentType,
        size: 8,
        source: name,
      }));
    },
    readFile: (...file) => readFile(...file),
    answerInterrupted: async (_, message) => void settled.push(message),
  });
  stage.platformWith({});
}

/** A press of Again below the first image. */
function preparedAgain(eventId: string) {
  const [on] = stage.standing as [Standing];
  return stage.bot.dispatcher.preparePress({
    eventId,
    actionId: stage.buttonId('Again', on),
    address: on.address,
    message: { ...on.address, message: on.id },
    requester: ann,
    acknowledgement: { press: eventId },
  });
}

async function pressAgain(eventId: string): Promise<void> {
  const [{ address }] = stage.standing as [(typeof stage.standing)[0]];
  const prepared = await preparedAgain(eventId);
  if (prepared.kind !== 'accepted') throw new Error(prepared.kind);
  expect(prepared.seenBy).toBe('nobody');
  const whisper = async (said: Message) =>
    void stage.standing.push({ id: eventId, address, message: said, seenBy: 'requester' });
  await prepared.run({
    say: () => Promise.reject(new Error('a new message')),
    replace: () => Promise.reject(new Error('another message')),
    whisper,
    stream: () => {
      throw new Error('a live answer');
    },
  });
}

it('two presses of Again at the same moment draw one new version', async () => {
  await openStage();
  await stage.make('imagine', { prompt: 'a lighthouse' });
  const presses = Promise.all([pressAgain('one'), pressAgain('two')]);
  await stage.until(() => false, presses);
  await presses;
  await stage.rendersEnded();
  expect((await stage.meter()).credits).toBe(44);
  expect(stage.text).toBe('That’s already on its way. Nothing more was spent.');
});

it('the price that Again asks first takes the place of the press’s loading message, also after a death', async () => {
  await openStage();
  await stage.make('imagine', { prompt: 'a lighthouse' });
  await stage.give('settings', { confirm_over: '0' }, admin);
  const prepared = await preparedAgain('one');
  if (prepared.kind !== 'accepted') throw new Error(prepared.kind);
  expect(prepared.seenBy).toBe('requester');
  const fail = () => Promise.reject(new PlatformError('unreachable'));
  await prepared.run({ say: fail, replace: fail, whisper: fail, stream: () => expect.unreachable() });
  const jobs = stage.database.selectFrom('jobs').select('acknowledgement').where('event_id', '=', 'one');
  expect(await jobs.execute()).toEqual([{ acknowledgement: '{"press":"one"}' }]);
});

it('a new version is drawn where the platform doesn’t give the old image back; only that one can’t be paged to', async () => {
  await openStage();
  await stage.make('imagine', { prompt: 'a lighthouse' });
  readFile = () => Promise.reject(new Error('404 from the platform’s files'));
  const pressed = pressAgain('one');
  await stage.until(() => false, pressed);
  await pressed;
  await stage.rendersEnded();
  expect((await stage.meter()).credits).toBe(44);
  const [shown] = stage.standing;
  expect(shown?.message.files?.map(({ name }) => name)).toEqual([expect.stringContaining('image-v2')]);
  expect(stage.text).not.toContain('⚠️');
});

it('a version that stands where the others are no longer kept is kept when the next one is drawn', async () => {
  await openStage();
  readFile = async ({ name }) => Buffer.from(name);
  await stage.make('imagine', { prompt: 'a lighthouse' });
  for (const days of [0, 31]) {
    await stage.clock.advance(days * 86_400_000);
    await stage.press('Again');
    await stage.rendersEnded();
  }
  await stage.press('‹');
  expect(stage.buttons).toContain('1/2');
  expect(String(await stage.file())).toBe('image-v2.png');
  const [shown] = stage.standing as [Standing];
  const next = stage.buttonId('›', shown);
  await stage.press('Again');
  await stage.pressId(next, shown);
  expect(stage.text).toBe('A new version is already being drawn here.');
  await stage.rendersEnded();
});

it.each(['on the platform', 'by Delete'])(
  'a new version that waits for its turn isn’t drawn if its message is deleted %s',
  async (how) => {
    await openStage();
    await stage.make('imagine', { prompt: 'a lighthouse' });
    const [image] = stage.standing as [Standing];
    const remove = stage.buttonId('Delete', image);
    await stage.give('imagine', { prompt: 'first [[rate limit 40 once]]' });
    const pressed = pressAgain('one');
    await stage.until(() => false, pressed);
    await pressed;
    if (how === 'by Delete') await stage.pressId(remove, image);
    else await stage.bot.dispatcher.deleted({ platform: 'console', messages: [image.id] });
    await stage.rendersEnded();
    expect((await stage.meter()).credits).toBe(44);
    expect(await stage.ledgerStates()).toEqual(['spent', 'spent', 'failed']);
    expect(stage.standing.map(({ id }) => id)).toEqual([image.id, 'm1']);
    expect(stage.removed).toContain(image.id);
  },
);

it('where the process dies before a new version is begun, the image keeps its message, and that’s said below it', async () => {
  await openStage();
  await stage.make('imagine', { prompt: 'a lighthouse' });
  const buttons = stage.buttons;
  reading = new Promise(() => {});
  void pressAgain('one').catch(() => {});
  await stage.until(async () => (await stage.jobStates()).includes('running'));
  await stage.crash();
  await stage.bot.recovery.settled();
  expect(settled).toEqual([]);
  expect(stage.standing[0]?.message.buttons?.map(({ label }) => label)).toEqual(buttons);
  expect(stage.text).toContain('interrupted');
  expect(stage.buttons).toEqual(['Try again']);
  expect((await stage.ledger()).filter(({ state }) => state === 'reserved')).toEqual([]);
});

it('an image that people see already can be pressed while its delivery is being put on record', async () => {
  const message = { platform: 'discord', workspace: 'w', channel: 'c', message: 'm' } as const;
  const image = { id: 'root', job: 'root', state: 'ready', results: [{}] };
  let isRecorded = false;
  const recorded = Promise.withResolvers<void>();
  const versions = new ImageVersions({
    keyv: new Keyv(),
    renders: {
      ofJob: async () => [isRecorded ? { ...image, state: 'delivered', delivered: message } : image],
      over: () => recorded.promise,
    },
    adapters: () => ({ replacesFiles: () => true }),
    locks: new KeyedQueue(),
    clock: new FakeClock(),
  } as unknown as ImageVersionsDependencies);
  const pressed = versions.canReplace({ id: 'root', options: {} } as unknown as Job, message);
  await settle();
  isRecorded = true;
  recorded.resolve();
  expect(await pressed).toBe(true);
});
