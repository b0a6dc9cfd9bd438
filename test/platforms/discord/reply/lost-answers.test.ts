import { describe, expect, it } from 'vitest';
import { discordFeatures } from '../../../../src/platforms/discord/api/errors.ts';
import { everyWorkspace, fileOf, type OutgoingFile } from '../../../../src/port/index.ts';
import { createCapabilities } from '../../../../src/store/index.ts';
import { sampleStudio } from '../../../e2e/support/sample-studio.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { refuse } from '../../../fakes/database.ts';
import type { FakeDiscord, FakeDiscordOptions } from '../../../fakes/discord/index.ts';
import { DeliveredClip } from '../support/delivered-clip.ts';
import { type Stage, startStage, withoutBot } from '../support/stage.ts';

const create = 'POST /channels/{channel_id}/messages';
const edit = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
const followUp = 'POST /webhooks/{webhook_id}/{webhook_token}';
/** How often a request is tried if its responses are lost. */
const tries = 3;

const typed = (stage: Stage) => stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'a cat' } });
const mentioned = (stage: Stage) => stage.ada.mentions(stage.channel, 'a cat');
const directly = (stage: Stage) => stage.ofBot(stage.ada.direct());
const filesOf = (messages: readonly { files: readonly object[] }[]) =>
  messages.map(({ files }) => files.length);

interface Scene {
  readonly give: (stage: Stage) => unknown;
  readonly options?: Partial<FakeDiscordOptions> & { readonly before?: (discord: FakeDiscord) => void };
  /** A word to its requester alone has taken the loading message away, so that it's a new message. */
  readonly below?: boolean;
  readonly file?: OutgoingFile;
}

/** A command that waits, acknowledged, before it posts its clip. */
async function begin({ give, options = {}, below = false, file }: Scene) {
  const clock = new FakeClock(Date.now());
  const clip = new DeliveredClip(clock, file, below);
  const stage = await startStage({ commands: [clip.command], clock, ...options });
  await clip.on(stage);
  give(stage);
  await stage.discord.until('the job', () =>
    stage.discord.journal.requests.some(({ route }) => /callback|typing/.test(route)),
  );
  if (below) {
    await stage.discord.until('the word', () => clip.hasWhispered && stage.ofBot().length === 0);
    stage.discord.journal.requests.splice(0);
  }
  return { clock, clip, stage };
}

/** Loses the responses to a route's requests, until they aren't repeated any more. */
const loses = (stage: Stage, route: string, times = tries) =>
  stage.discord.faults.next(route, { kind: 'close-after' }, times);

/** Loses the first response, and holds the next request until the promise resolves. */
function losesThenHolds(stage: Stage, route: string) {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  loses(stage, route, 1);
  stage.discord.faults.next(route, { kind: 'hold', until });
  const requests = () => stage.discord.journal.requests.filter((request) => request.route === route).length;
  return { release, lost: () => stage.discord.until('the lost answer', () => requests() === 1) };
}

const asked = (stage: Stage, method: string) =>
  stage.discord.journal.requests.filter((request) => request.method === method);

const recognised = async (stage: Stage) =>
  createCapabilities(stage.database, 'discord', Date.now).note(
    everyWorkspace,
    discordFeatures.followUpNonce,
    'works',
  );

const inPlace: readonly [string, string, Scene][] = [
  ['a reply to a message', create, { give: mentioned }],
  ['the answer to a command', edit, { give: typed }],
  [
    'the answer to a command where the bot is no member',
    edit,
    { give: typed, options: { before: withoutBot } },
  ],
  ['a message of its own, the loading message taken away', create, { give: typed, below: true }],
];

describe('a clip whose response is lost', () => {
  it.each(inPlace)('is posted once: %s', async (_, route, scene) => {
    const { clip, stage } = await begin(scene);
    loses(stage, route);
    clip.goesOn();
    await clip.delivered();
    expect(filesOf(stage.ofBot())).toEqual([1]);
    expect(stage.ofBot()[0]?.content).toMatch(/> a cat$/);
    expect(directly(stage)).toEqual([]);
    // What may be the answer is not taken away.
    expect(asked(stage, 'DELETE')).toEqual([]);
  });

  it.each(
    inPlace.flatMap(([what, route, scene]) =>
      // A token is over after an hour.
      (scene.options ? [0] : [0, 3_600_000]).map((later) => [what, later, route, scene] as const),
    ),
  )('stands there once after a restart: %s, %i ms later', async (_, later, route, scene) => {
    const { clip, clock, stage } = await begin(scene);
    const { lost, release } = losesThenHolds(stage, route);
    clip.goesOn();
    await lost();
    await clip.restart(() => clock.step(later));
    await clip.delivered();
    release();
    expect(filesOf(stage.ofBot())).toEqual([1]);
    expect(stage.ofBot()[0]?.content).toMatch(/> a cat$/);
    expect(directly(stage)).toEqual([]);
    expect(asked(stage, 'DELETE')).toEqual([]);
  });

  it('is posted if it turns out to be missing, and replaces no loading message', async () => {
    const { clip, stage } = await begin({ give: typed });
    stage.discord.faults.next(edit, { kind: 'close' }, tries);
    clip.goesOn();
    await clip.delivered();
    await stage.discord.until('the clip', () => filesOf(stage.ofBot()).includes(1));
    expect(filesOf(stage.ofBot()).filter((files) => files > 0)).toEqual([1]);
    expect(directly(stage)).toEqual([]);
  });
});

describe('a voice message whose text was posted with a lost response', () => {
  it.each([false, true])('is posted once, and so is its text (restart between: %s)', async (restarts) => {
    const voice = 'en_male_tim_uranus_bigtts';
    const order = { text: 'Good morning.', voice, format: 'ogg', speed: 1 } as const;
    const { bytes } = await sampleStudio.speak(order);
    const about = { contentType: 'audio/ogg', kind: 'voice', description: 'a cat' } as const;
    const file = fileOf(bytes, { ...about, name: 'speech.ogg' });
    const { clip, stage } = await begin({ give: typed, file });
    if (restarts) {
      const { lost, release } = losesThenHolds(stage, edit);
      clip.goesOn();
      await lost();
      await clip.restart();
      release();
    } else {
      loses(stage, edit);
      clip.goesOn();
    }
    await clip.delivered();
    const shown = stage.ofBot().map(({ content, files }) => [content.split('\n').at(-1), files.length]);
    expect(shown).toEqual([
      ['> a cat', 0],
      ['', 1],
    ]);
    expect(directly(stage)).toEqual([]);
  });
});

const further: Scene = { give: typed, below: true, options: { before: withoutBot } };

describe('a clip as a follow-up whose response is lost', () => {
  it.each([false, true])(
    'comes there once at most and directly once (restart between: %s)',
    async (restarts) => {
      const { clip, stage } = await begin(further);
      const { promise: until, resolve: release } = Promise.withResolvers<void>();
      if (restarts) {
        // Carried out, and its answer comes to nobody.
        stage.discord.faults.next(followUp, { kind: 'hold', until });
      } else loses(stage, followUp, 1);
      clip.goesOn();
      if (restarts) {
        await stage.discord.until('the request', () => stage.discord.faults.left(followUp) === 0);
        await clip.restart();
      }
      await clip.delivered();
      release();
      await stage.discord.until('the follow-up', () => stage.ofBot().length > 0);
      expect(filesOf(stage.ofBot())).toEqual([1]);
      expect(filesOf(directly(stage))).toEqual([1]);
    },
  );

  it('is posted once if Discord is known to recognise it', async () => {
    const { clip, stage } = await begin({
      ...further,
      options: { before: withoutBot, readings: { followUpNonce: 'works' } },
    });
    await recognised(stage);
    loses(stage, followUp);
    clip.goesOn();
    await clip.delivered();
    expect(filesOf(stage.ofBot())).toEqual([1]);
    expect(directly(stage)).toEqual([]);
  });
});

describe('a clip that this machine can’t record', () => {
  it.each([
    ['a reply to a message', { give: mentioned }],
    ['a message of its own', { give: typed, below: true }],
    ['a further message by the token', further],
  ] satisfies [string, Scene][])('comes all the same, once: %s', async (_, scene) => {
    const { clip, stage } = await begin(scene);
    await refuse(stage.database, 'insert on keyv');
    clip.goesOn();
    await clip.delivered();
    expect(filesOf(stage.ofBot())).toEqual([1]);
    expect(directly(stage)).toEqual([]);
  });
});

describe('a clip as a follow-up that gets Unknown Message (10008)', () => {
  it('comes directly, once, if Discord accepts none after the loading message was taken away', async () => {
    const { clip, stage } = await begin(further);
    stage.discord.world.readings.followUpAfterRemoval = 'refused';
    clip.goesOn();
    await clip.delivered();
    expect(stage.ofBot()).toEqual([]);
    expect(filesOf(directly(stage))).toEqual([1]);
    const requests = asked(stage, 'POST').filter(({ route }) => route === followUp);
    expect(requests.map(({ status }) => status)).toEqual([404]);
  });

  it('is posted again if somebody deleted it before its response came', async () => {
    const readings = { followUpNonce: 'works', nonceOfDeleted: 'refused' } as const;
    const { clip, stage } = await begin({ ...further, options: { before: withoutBot, readings } });
    await recognised(stage);
    const { lost, release } = losesThenHolds(stage, followUp);
    clip.goesOn();
    await lost();
    stage.ada.deletes(stage.ofBot()[0]!);
    release();
    await clip.delivered();
    expect(filesOf(stage.ofBot())).toEqual([1]);
    expect(directly(stage)).toEqual([]);
  });

  it('comes directly, too, if it may be there and Discord doesn’t say', async () => {
    const { clip, stage } = await begin({
      ...further,
      options: { before: withoutBot, readings: { followUpNonce: 'works' } },
    });
    await recognised(stage);
    const { lost, release } = losesThenHolds(stage, followUp);
    clip.goesOn();
    await lost();
    stage.discord.world.readings.followUpAfterRemoval = 'refused';
    release();
    await clip.delivered();
    expect(filesOf(stage.ofBot())).toEqual([1]);
    expect(filesOf(directly(stage))).toEqual([1]);
  });
});

describe('a post that takes longer than Discord remembers its nonce', () => {
  it.each([
    ['a finished answer', { give: mentioned }],
    ['with the line above it', { give: typed, below: true }],
  ] satisfies [string, Scene][])('is looked for before it is sent again: %s', async (_, scene) => {
    const { clip, clock, stage } = await begin(scene);
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    stage.discord.faults.next(create, { kind: 'close-after', until });
    clip.goesOn();
    await stage.discord.until('the clip', () => filesOf(stage.ofBot()).includes(1));
    await clock.advance(6 * 60_000);
    release();
    await clip.delivered();
    expect(filesOf(stage.ofBot())).toEqual([1]);
    expect(directly(stage)).toEqual([]);
  });
});

it('where Discord took nothing until the clip was there, nobody is notified that it was late', async () => {
  const jumping = new FakeClock(Date.now());
  const clip = new DeliveredClip(jumping);
  const stage = await startStage({ commands: [clip.command], jumping });
  const { discord } = stage;
  await clip.on(stage);
  mentioned(stage);
  await discord.until('the job', () => asked(stage, 'POST').some(({ route }) => /typing/.test(route)));
  discord.faults.next(create, { kind: 'error', status: 503 }, 100_000);
  clip.goesOn();
  const posts = () => asked(stage, 'POST').filter(({ route }) => route === create).length;
  const pass = (time: number) => {
    const end = jumping.now() + time;
    jumping.after(time, () => {});
    return discord.until('time passes', () => jumping.now() >= end);
  };
  await pass(20 * 60_000);
  while (discord.faults.left(create) > 0) discord.faults.take(create);
  const refused = posts();
  expect(refused).toBeGreaterThan(0);
  await discord.until('the clip', () => filesOf(stage.ofBot()).includes(1));
  await clip.delivered();
  await pass(60_000);
  expect(posts()).toBe(refused + 1);
});
