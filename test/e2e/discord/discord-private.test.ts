import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import {
  type Channel,
  type FakeDiscord,
  type Guild,
  type Message,
  refusals,
} from '../../fakes/discord/index.ts';
import { invited } from '../../platforms/discord/support/invited.ts';
import {
  type DiscordScene,
  labelsOf,
  passes,
  startDiscordScene,
  threadsIn,
} from '../support/discord-scene.ts';

const { sharing } = words('en');

/** What is in every prompt of these tests, and in what the sandbox answers to it. */
const secret = 'marmalade';
const wishes = {
  ask: { prompt: `repeat: ${secret} is the word` },
  speak: { text: `${secret} is the word` },
  imagine: { prompt: `a jar of ${secret}` },
  video: { prompt: `a jar of ${secret}`, duration: 4 },
} as const;
type Talent = keyof typeof wishes;
const talents = Object.keys(wishes) as Talent[];

/** What the bot wrote that only one person sees. */
function hidden({ discord, channel }: DiscordScene): readonly Message[] {
  return discord
    .messagesIn(channel, { ephemeral: true })
    .filter(({ onlyFor, content, files }) => onlyFor !== undefined && (content !== '' || files.length > 0));
}

/** All that anybody in the server can see: messages with their files, names of threads. */
function publicWords({ discord, guild }: DiscordScene): string {
  const channels = [...discord.world.channels.values()].filter(({ guildId }) => guildId === guild.id);
  const messages = channels.flatMap((each) => discord.messagesIn(each));
  return JSON.stringify([
    channels.map(({ name }) => name),
    messages.map(({ content, files, components }) => [
      content,
      components,
      files.map(({ name, description }) => [name, description]),
    ]),
  ]);
}

const isFinished: Record<Talent, (message: Message) => boolean> = {
  ask: ({ content }) => content.includes(secret),
  speak: ({ files }) => files.length > 0,
  imagine: ({ files }) => files.length > 0,
  video: ({ files }) => files.length > 0,
};

function give(scene: DiscordScene, talent: Talent, more: object = {}) {
  return scene.ada.types(scene.channel, {
    name: talent,
    options: { ...wishes[talent], private: true, ...more },
  });
}

function answered(scene: DiscordScene, talent: Talent): Promise<Message> {
  return scene.discord.until(`the answer to /${talent}`, () => hidden(scene).find(isFinished[talent]));
}

it('a private answer is quoted by a Discord reply to it, though its requester deleted what they asked', async () => {
  const { ada, channel, discord, said } = await startDiscordScene({ pace: 'human' });
  const direct = () => said(ada.direct());
  const line = `ask "Write 900 characters about ${secret}" --private true`;
  const question = ada.mentions(channel, line);
  await discord.until('the sign', () => direct().length > 1);
  ada.deletes(question);
  const isDone = (message: Message) => labelsOf(message).includes(sharing.share);
  await discord.until('the answer', () => direct().some(isDone));
  const before = direct().length;
  ada.writes(ada.direct(), 'Make it shorter [[context]]', { replyTo: direct().findLast(isDone)! });
  await discord.until('the second', () =>
    direct()
      .slice(before)
      .some((message) => labelsOf(message).includes('Regenerate')),
  );
  expect(direct().at(-1)?.content).toContain('quoted your own message');
});

describe('a private command', () => {
  it.each(talents)(
    '/%s is answered to its requester alone, in place; Share here posts it in the channel, once and for free, and says who shared it',
    async (talent) => {
      const scene = await startDiscordScene();
      const typed = give(scene, talent);
      const answer = await answered(scene, talent);
      expect(answer).toMatchObject({ id: typed.responseMessageId, onlyFor: scene.ada.user.id });
      await scene.discord.until('the button', () => labelsOf(answer).includes(sharing.share));
      expect(answer.files.every(({ contentType }) => contentType !== 'audio/ogg')).toBe(true);
      expect(publicWords(scene)).not.toContain(secret);
      expect(scene.said()).toEqual([]);
      expect(threadsIn(scene)).toEqual([]);
      const spent = await scene.spent();
      scene.ada.presses(answer, sharing.share);
      scene.ada.presses(answer, sharing.share);
      await scene.discord.until('the label', () => labelsOf(answer).includes(sharing.shared));
      await scene.discord.until('the second press', () =>
        hidden(scene).some(({ content }) => content === sharing.already),
      );
      const [shared, ...more] = scene.said();
      expect(shared?.content).toContain(secret);
      expect(shared?.content).toContain(sharing.sharedBy('ada'));
      expect(shared?.files.length).toBe(talent === 'ask' ? 0 : 1);
      expect(more).toEqual([]);
      expect(await scene.spent()).toBe(spent);
      expect(answer.content).toContain(secret);
    },
  );
});

const byToken = [
  'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original',
  'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}',
  'POST /webhooks/{webhook_id}/{webhook_token}',
  'GET /webhooks/{webhook_id}/{webhook_token}/messages/@original',
];

function forget({ discord }: DiscordScene): void {
  const refusal = refusals.unknownWebhook();
  for (const route of byToken) discord.faults.next(route, { kind: 'refuse', refusal }, 1_000);
}

describe('Share here under several images', () => {
  it.each(['works', 'refused'] as const)(
    'posts all of them in one message, once; a gallery in an edit: %s',
    async (galleryByEdit) => {
      const scene = await startDiscordScene();
      scene.discord.world.readings.galleryByEdit = galleryByEdit;
      give(scene, 'imagine', { count: 3 });
      const images = await scene.discord.until('the images', () =>
        hidden(scene).find(({ files }) => files.length === 3),
      );
      await scene.discord.until('the button', () => labelsOf(images).includes(sharing.share));
      scene.ada.presses(images, sharing.share);
      scene.ada.presses(images, sharing.share);
      await scene.discord.until('the label', () => labelsOf(images).includes(sharing.shared));
      await scene.discord.until('the second press', () =>
        hidden(scene).some(({ content }) => content === sharing.already),
      );
      expect(labelsOf(images)).toContain('Use 3');
      expect(labelsOf(images)).not.toContain(sharing.share);
      expect(images.files).toHaveLength(3);
      const [shared, ...more] = scene.said();
      expect(more).toEqual([]);
      expect(shared?.files).toHaveLength(3);
      const shown = `${shared?.content} ${JSON.stringify(shared?.components)}`;
      expect(shown).toContain(secret);
      expect(shown).toContain(sharing.sharedBy('ada'));
    },
  );
});

describe('a private command whose interaction Discord forgets', () => {
  it.each(talents)(
    '/%s: its answer comes as a direct message, and nothing in the channel',
    async (talent) => {
      const scene = await startDiscordScene();
      forget(scene);
      give(scene, talent);
      const direct = () => scene.said(scene.ada.direct());
      const answer = await scene.discord.until('the answer', () =>
        direct().find((one) => isFinished[talent](one) && labelsOf(one).includes(sharing.share)),
      );
      expect(answer.content + JSON.stringify(answer.files)).toContain(secret);
      expect(publicWords(scene)).not.toContain(secret);
      expect(scene.said()).toEqual([]);
    },
  );

  it.each(talents)('/%s: is silent in the channel if direct messages are closed, too', async (talent) => {
    const scene = await startDiscordScene();
    forget(scene);
    scene.ada.user.acceptsDirectMessages = false;
    give(scene, talent);
    const tried = () =>
      scene.discord.journal.to('POST /channels/{channel_id}/messages').some(({ status }) => status === 403);
    await scene.discord.until('an attempt', tried);
    expect(publicWords(scene)).not.toContain(secret);
  });

  it('is shared from the direct message in the channel where it was asked', async () => {
    const scene = await startDiscordScene();
    forget(scene);
    give(scene, 'imagine');
    const answer = await scene.labelled(sharing.share, scene.ada.direct());
    scene.ada.presses(answer, sharing.share);
    const shared = await scene.discord.until('the post', () => scene.said()[0]);
    expect(shared.files).toHaveLength(1);
    await scene.discord.until('the label', () => labelsOf(answer).includes(sharing.shared));
  });
});

/** A server in which people use the bot that they installed for themselves. */
async function elsewhere(permissions: bigint) {
  const scene = await startDiscordScene();
  const { discord, owner, ada, bob } = scene;
  const guild = discord.world.addGuild({
    name: 'Elsewhere',
    owner: owner.user,
    permissions,
    hasBot: false,
  });
  for (const { user } of [ada, bob]) discord.world.addMember(guild, user);
  const channel = discord.world.addChannel(guild, 'talk');
  const answerTo = async (person: typeof ada, options: object) => {
    const before = hidden({ ...scene, channel }).length;
    person.types(channel, { name: 'ask', options: { ...options } });
    return discord.until('the answer', () =>
      hidden({ ...scene, channel })
        .slice(before)
        .find((one) => labelsOf(one).includes('Reply')),
    );
  };
  return { ...scene, guild, channel, answerTo };
}

it.each([
  ['never arrives', 'close', 0],
  ['arrives unconfirmed', 'close-after', 1],
] as const)('an answer that’s shared is taken back where one of its messages %s', async (_, kind, left) => {
  const { ada, discord, channel, answerTo, ...scene } = await elsewhere(invited);
  const answer = await answerTo(ada, { prompt: 'Write 6000 characters', private: true });
  const followUp = 'POST /webhooks/{webhook_id}/{webhook_token}';
  discord.faults.next(followUp, { kind: 'hold', until: Promise.resolve() }, 1);
  discord.faults.next(followUp, { kind }, 1);
  ada.presses(answer, sharing.share);
  await discord.until('why not', () =>
    hidden({ ...scene, discord, channel, ada }).find(({ content }) => content.includes(sharing.lost)),
  );
  // Nobody knows the id of that one.
  expect(discord.messagesIn(channel)).toHaveLength(left);
  expect(labelsOf(answer)).toContain(sharing.share);
  expect(scene.said(ada.direct())).toEqual([]);
});

describe('what Discord shows to nobody but who used an app that only they installed', () => {
  it('is no part of others’ conversation, and can’t be shared', async () => {
    const { ada, bob, answerTo } = await elsewhere(invited & ~PermissionFlagsBits.UseExternalApps);
    const answer = await answerTo(ada, { prompt: `My word is ${secret}`, private: false });
    expect(labelsOf(answer)).not.toContain(sharing.share);
    const question = { prompt: 'What was the word? [[context]]' };
    expect((await answerTo(bob, question)).content).not.toContain(secret);
    expect((await answerTo(ada, question)).content).toContain(secret);
  });

  it('can’t be shared once members lack the permission for that', async () => {
    const scene = await elsewhere(invited);
    const { ada, discord, guild, channel, answerTo } = scene;
    const answer = await answerTo(ada, { prompt: 'hello', private: true });
    for (const role of guild.roles.values()) role.permissions &= ~PermissionFlagsBits.UseExternalApps;
    ada.presses(answer, sharing.share);
    await discord.until('why not', () =>
      hidden(scene).find(({ content }) => content.includes(sharing.notThere)),
    );
    expect(labelsOf(answer)).toContain(sharing.share);
    expect(discord.messagesIn(channel)).toEqual([]);
  });
});

describe('the log', () => {
  it('has no word of a private question or its answer, at any level, even if Discord refuses them', async () => {
    const logged: string[] = [];
    const scene = await startDiscordScene({}, { logged });
    for (const talent of ['ask', 'speak', 'imagine'] as const) {
      give(scene, talent);
      await answered(scene, talent);
    }
    forget(scene);
    scene.ada.user.acceptsDirectMessages = false;
    for (const talent of ['ask', 'speak', 'imagine'] as const) give(scene, talent);
    // What was paid for and can't be brought, and a command that couldn't even begin.
    const lines = (sign: RegExp) => logged.filter((line) => sign.test(line)).length;
    await scene.discord.until(
      'the refusals',
      () =>
        lines(/an answer couldn't be posted anywhere/) >= 2 && lines(/"level":50.*"command":"imagine"/) >= 1,
    );
    expect(logged.join('')).not.toContain(secret);
  });
});

describe('a mention that wants a private answer', () => {
  it('gets it as a direct message', async () => {
    const scene = await startDiscordScene();
    scene.ada.mentions(scene.channel, `imagine a jar of ${secret} --private`);
    await scene.discord.until('the image', () =>
      scene
        .said(scene.ada.direct())
        .find((one) => one.files.length > 0 && labelsOf(one).includes(sharing.share)),
    );
    expect(scene.said()).toEqual([]);
  });

  it('is told so in reply to it if direct messages are closed, before anything is spent', async () => {
    const scene = await startDiscordScene();
    scene.ada.user.acceptsDirectMessages = false;
    const mention = scene.ada.mentions(scene.channel, `imagine a jar of ${secret} --private`);
    const told = await scene.discord.until('the reason', () => scene.said()[0]);
    expect(told.replyTo).toBe(mention.id);
    expect(told.content).toContain('can’t send you direct messages');
    expect(told.content).not.toContain(secret);
    expect(await scene.spent()).toBe(0);
  });
});

describe('Share here in direct messages', () => {
  it.each([
    ['comes', async () => {}, 1],
    [
      'comes no more, if its requester was timed out,',
      async ({ guild, ada, discord }: DiscordScene) => {
        guild.members.get(ada.user.id)!.timedOutUntil = discord.world.clock.now() + 6 * 3_600_000;
      },
      0,
    ],
    [
      'comes no more, if its requester has deleted it,',
      async ({ ada, discord }: DiscordScene) => {
        const [answer] = discord.messagesIn(ada.direct()).filter((one) => labelsOf(one).includes('Delete'));
        ada.presses(answer!, 'Delete');
        await discord.until('nothing is left', () => answer!.deleted);
      },
      0,
    ],
  ])('%s once Discord takes it again', async (_, happens, times) => {
    const scene = await startDiscordScene();
    const { discord, channel, ada } = scene;
    ada.mentions(channel, `/ask repeat: ${secret} --private`);
    const ready = () => scene.said(ada.direct()).find((one) => labelsOf(one).includes(sharing.share));
    const answer = await discord.until('the answer', ready);
    const route = 'POST /channels/{channel_id}/messages';
    discord.faults.next(route, { kind: 'error', status: 503 }, 12, channel.id);
    ada.presses(answer, sharing.share);
    await discord.until('the first tries', () => discord.faults.left(route) < 10);
    await happens(scene);
    await passes(scene, 60);
    expect(publicWords(scene).split(sharing.sharedBy('ada'))).toHaveLength(times + 1);
  });

  it('posts nothing for somebody who isn’t there any more, or may not write there', async () => {
    const scene = await startDiscordScene({}, { before: withMutedRole });
    const { discord, guild, channel, ada } = scene;
    const { world } = discord;
    const member = guild.members.get(ada.user.id)!;
    const thread = discord.threads.openPrivate(channel, scene.owner.user.id, 'Between us');
    thread.thread?.members.add(ada.user.id);
    const answer = async (place: Channel) => {
      const before = scene.said(ada.direct()).length;
      ada.mentions(place, `/ask repeat: ${secret} --private`);
      const ready = () =>
        scene
          .said(ada.direct())
          .slice(before)
          .find((one) => labelsOf(one).includes(sharing.share));
      return discord.until('the answer', ready);
    };
    const inChannel = await answer(channel);
    const inThread = await answer(thread);
    const refusedTimes = () =>
      discord
        .messagesIn(ada.direct(), { ephemeral: true })
        .filter(({ content }) => content.includes(sharing.notThere)).length;
    const isRefused = async (pressed: Message) => {
      const before = refusedTimes();
      ada.presses(pressed, sharing.share);
      await discord.until('the refusal', () => refusedTimes() > before);
    };
    guild.members.delete(ada.user.id);
    await isRefused(inChannel);
    guild.members.set(ada.user.id, member);
    member.timedOutUntil = world.clock.now() + 600_000;
    await isRefused(inChannel);
    member.timedOutUntil = undefined;
    member.roles.push(mutedRole(guild));
    await isRefused(inChannel);
    member.roles.pop();
    thread.thread?.members.delete(ada.user.id);
    await isRefused(inThread);
    expect(publicWords(scene).split(sharing.sharedBy('ada'))).toHaveLength(1);
    thread.thread?.members.add(ada.user.id);
    for (const [pressed, place] of [
      [inChannel, channel],
      [inThread, thread],
    ] as const) {
      ada.presses(pressed, sharing.share);
      await scene.saying(sharing.sharedBy('ada'), place);
    }
  });

  const mutedRole = (guild: Guild) => [...guild.roles.values()].find(({ name }) => name === 'muted')!.id;

  function withMutedRole({ world }: FakeDiscord): void {
    const [guild] = world.guilds.values();
    const { id } = world.addRole(guild!, 'muted', 0n);
    const [channel] = [...world.channels.values()].filter(({ name }) => name === 'general');
    channel?.overwrites.push({ id, type: 'role', allow: 0n, deny: PermissionFlagsBits.SendMessages });
  }
});
