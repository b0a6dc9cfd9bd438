import { describe, expect, it } from 'vitest';
import { ratesPerMinute } from '../../../src/service-rules/limits.ts';
import type { Message } from '../../fakes/discord/index.ts';
import { changeSandbox } from '../../fakes/sandbox.ts';
import {
  type DiscordScene,
  drawn,
  everything,
  finished,
  labelsOf,
  passes,
  startDiscordScene,
  threadsIn,
} from '../support/discord-scene.ts';

const gone = (scene: DiscordScene) => scene.discord.until('nothing is left', () => scene.said().length === 0);

it('Delete takes all messages of a long answer and its file, after a restart too; for its requester alone', async () => {
  const scene = await startDiscordScene();
  await changeSandbox(scene.sandbox, { answers: ['word '.repeat(2_500)] });
  scene.ada.mentions(scene.channel, 'Tell me everything');
  const last = await finished(scene);
  await scene.discord.until('the file', () => scene.said().length === 7);
  await scene.restart();
  const refused = scene.bob.presses(last, 'Delete');
  await scene.discord.until('the refusal', () => refused.responseMessageId);
  expect(scene.said()).toHaveLength(7);
  scene.ada.presses(last, 'Delete');
  await gone(scene);
});

it('Delete takes a clip with its words, an image with all its versions, and a film with its announcement', async () => {
  const scene = await startDiscordScene();
  const { ada, owner, channel } = scene;
  ada.types(channel, { name: 'speak', options: { text: 'Good morning' } });
  // The clip is a message of its own.
  const words = await finished(scene);
  expect(scene.said()).toHaveLength(2);
  owner.presses(words, 'Delete');
  await gone(scene);
  const image = await drawn(scene, 'a boat');
  ada.presses(image, 'Again');
  await scene.discord.until('the second version', () => labelsOf(image).includes('2/2'));
  ada.presses(image, 'Delete');
  await gone(scene);
  ada.types(channel, { name: 'video', options: { prompt: 'a boat' } });
  const root = await scene.discord.until('the announcement', () => scene.said()[0]);
  const film = await scene.withFile(root);
  ada.presses(film, 'Delete');
  await gone(scene);
  // The bot deletes no thread, since others may have written in it.
  const thread = scene.discord.world.channel(root.id);
  await scene.discord.until('its thread is closed', () => thread.thread?.archived);
  expect(scene.said(thread)).toEqual([]);
  expect(thread.name).toBe(`#${root.id.slice(-4)}`);
});

it('Delete takes the notice of each version of an image with it, from whichever it’s pressed', async () => {
  const scene = await startDiscordScene({ pace: 'human', renderTime: 20 });
  const { ada, rests, said } = scene;
  const image = await drawn(scene, 'a boat');
  await scene.until('a notice', () => said().length === 2);
  ada.presses(image, 'Again');
  await scene.until('another', () => labelsOf(image).includes('2/2') && said().length === 3);
  ada.presses(image, 'Delete');
  await rests();
  expect(said()).toEqual([]);
});

it.each(['Delete', 'a deleted question'])(
  'no thread keeps the words of what’s gone in its name: %s',
  async (how) => {
    const scene = await startDiscordScene({ pace: 'human', renderTime: 60 });
    const { ada, owner, channel, discord, said } = scene;
    const words = 'a nasty slur';
    const threads = () => threadsIn(scene);
    if (how === 'Delete') {
      ada.types(channel, { name: 'ask', options: { prompt: words, thread: true } });
      const answer = await finished(scene);
      await discord.until('the thread', () => threads()[0]);
      owner.presses(answer, 'Delete');
    } else {
      const question = ada.mentions(channel, `video: ${words} --duration 4`);
      const thread = await discord.until('the thread', () => threads()[0]);
      await discord.until('the progress', () => said(thread).length > 0);
      owner.deletes(question);
    }
    await gone(scene);
    await discord.until('its end', () => threads().every(({ thread }) => thread?.archived));
    expect(threads().map(({ name }) => name)).toEqual([expect.stringMatching(/^#\d{4}$/)]);
  },
);

it.each(['Delete', 'Discord’s own Delete'])(
  'a thread stays open for what others have made in it, where its first film goes by %s',
  async (how) => {
    const { ada, bob, owner, channel, discord, said } = await startDiscordScene();
    ada.types(channel, { name: 'video', options: { prompt: 'a boat' } });
    const root = await discord.until('the announcement', () => said()[0]);
    const films = () => said(root).filter(({ files }) => files.length > 0);
    const film = await discord.until('the film', () => films()[0]);
    bob.presses(film, 'New seed');
    await discord.until('bob’s film', () => films().length === 2);
    if (how === 'Delete') ada.presses(film, 'Delete');
    else owner.deletes(film);
    const thread = discord.world.channel(root.id);
    await discord.until('its announcement is gone', () => said().length === 0 && thread.name.startsWith('#'));
    expect(thread.thread?.archived).toBe(false);
    expect(films()).toHaveLength(1);
    discord.threads.delete(thread);
  },
);

it.each(['an answer', 'an announcement'])(
  'no thread keeps the words of %s that a moderator deletes with Discord’s own Delete',
  async (what) => {
    const scene = await startDiscordScene();
    const { ada, owner, channel, discord, said, withFile } = scene;
    if (what === 'an answer')
      ada.types(channel, { name: 'ask', options: { prompt: 'a nasty slur', thread: true } });
    else ada.types(channel, { name: 'video', options: { prompt: 'a nasty slur' } });
    const thread = await discord.until('the thread', () => threadsIn(scene)[0]);
    if (what === 'an answer') await finished(scene);
    else await withFile(thread);
    owner.deletes(said()[0]!);
    await discord.until('its name is gone', () => /^#\d{4}$/.test(thread.name));
    expect(thread.thread?.archived).toBe(what === 'an answer');
  },
);

it('the announcement of a film goes with its thread', async () => {
  const { ada, channel, discord, said } = await startDiscordScene();
  ada.types(channel, { name: 'video', options: { prompt: 'a boat' } });
  const root = await discord.until('the announcement', () => said()[0]);
  await discord.until('that it’s ready', () => said()[0]?.content.includes('http'));
  discord.threads.delete(discord.world.channel(root.id));
  await discord.until('nothing is left', () => said().length === 0);
});

it('Delete takes what only one person sees, and what they shared of it', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord } = scene;
  ada.types(channel, { name: 'ask', options: { prompt: 'Write 3000 characters', private: true } });
  const hidden = () =>
    discord.messagesIn(channel, { ephemeral: true }).find((message) => labelsOf(message).includes('Delete'));
  const answer = await discord.until('the answer', hidden);
  ada.presses(answer, 'Share here');
  await discord.until('what is shared', () => labelsOf(answer).includes('Shared') && scene.said()[1]);
  ada.presses(answer, 'Delete');
  await discord.until('nothing is left', () => hidden() === undefined && scene.said().length === 0);
});

it('Delete under what’s shared is a moderator’s, too, and leaves what only its requester sees', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, owner, channel, discord } = scene;
  ada.types(channel, { name: 'ask', options: { prompt: 'Write 3000 characters', private: true } });
  const hidden = () => discord.aside(channel, ada);
  const labelled = (messages: readonly Message[], label: string) =>
    messages.find((message) => labelsOf(message).includes(label));
  ada.presses(await discord.until('the answer', () => labelled(hidden(), 'Share here')), 'Share here');
  const shared = await discord.until('what is shared', () => labelled(scene.said(), 'Delete'));
  const answer = await discord.until('the label', () => labelled(hidden(), 'Shared'));
  expect(scene.said().length).toBeGreaterThan(1);
  const refused = bob.presses(shared, 'Delete');
  await discord.until('the refusal', () => refused.responseMessageId);
  owner.presses(shared, 'Delete');
  await discord.until('nothing is left of it', () => scene.said().length === 0);
  expect(hidden()).toContain(answer);
});

it.each([
  ['an answer', { name: 'ask', options: { prompt: 'Hello' } }],
  ['a clip', { name: 'speak', options: { text: 'Hello' } }],
  ['an image', { name: 'imagine', options: { prompt: 'Hello' } }],
  ['a private answer', { name: 'ask', options: { prompt: 'Hello', private: true } }],
])(
  'Delete under %s where the bot isn’t a member takes all of it, though the command’s token is over',
  async (_, command) => {
    const scene = await startDiscordScene();
    const { ada, bob, discord } = scene;
    const group = discord.world.addGroup([ada.user, bob.user]);
    const standing = () => discord.messagesIn(group, { ephemeral: true });
    ada.types(group, command);
    const made = await discord.until('what can be deleted', () =>
      standing().find((message) => labelsOf(message).includes('Delete')),
    );
    await passes(scene, 20);
    const before = discord.journal.requests.length;
    ada.presses(made, 'Delete');
    await scene.rests();
    expect(standing().map(({ content }) => content)).toEqual([]);
    expect(discord.journal.requests.slice(before).map(({ status }) => status)).toEqual([204, 204]);
  },
);

it('Reply opens a form for everybody, and its question goes on with the conversation', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, channel, discord } = scene;
  ada.types(channel, { name: 'ask', options: { prompt: 'The number is 4711' } });
  const answer = await finished(scene);
  const pressed = await discord.opened(bob.presses(answer, 'Reply'));
  expect(pressed.modal).toMatchObject({ title: 'Reply' });
  bob.submits(pressed, { prompt: 'What was the number?' });
  const second = await finished(scene, ({ id }) => id !== answer.id);
  expect(second.content.split('\n')[0]).toBe('> **bob**: What was the number?');
  expect(second.content).toContain('4711');
});

it('Reply to a private answer stays private', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord } = scene;
  ada.types(channel, { name: 'ask', options: { prompt: 'The number is 4711', private: true } });
  const hidden = (count: number) =>
    discord.until('the answer', () => {
      const found = discord
        .messagesIn(channel, { ephemeral: true })
        .filter((message) => labelsOf(message).includes('Reply'));
      return found.length === count && found.at(-1);
    });
  ada.submits(await discord.opened(ada.presses(await hidden(1), 'Reply')), {
    prompt: 'What was the number?',
  });
  const second = await hidden(2);
  expect(second.content).toContain('4711');
  expect(second.onlyFor).toBe(ada.user.id);
  expect(scene.said()).toEqual([]);
});

it.each(['question', 'answer'])(
  'an answer is quoted no more, and its buttons do nothing, once somebody deletes the %s with Discord’s own Delete',
  async (what) => {
    const scene = await startDiscordScene();
    const { discord, ada, bob, owner, channel } = scene;
    const asks = (by: typeof ada, text: string) => by.mentions(channel, text);
    const question = asks(ada, 'Write 3000 characters about 4711');
    const last = await finished(scene);
    const [first] = scene.said() as [Message];
    expect(first.id).not.toBe(last.id);
    owner.deletes(what === 'question' ? question : first);
    await scene.until('the refusal', async () => {
      const pressed = bob.presses(last, 'Reply');
      const told = () =>
        discord
          .messagesIn(channel, { ephemeral: true })
          .find(({ content }) => content.includes('was deleted'));
      await discord.until('a response', () => pressed.modal ?? told());
      return told() !== undefined;
    });
    asks(bob, 'What was the number?');
    const second = await finished(scene, ({ id }) => id !== last.id);
    expect(second.content).not.toContain('4711');
  },
);

it.each([
  ['the old one is read', 'GET /channels/{channel_id}/messages/{message_id}'],
  ['the press is acknowledged', 'POST /interactions/{interaction_id}/{interaction_token}/callback'],
])(
  'an image that a moderator deletes while %s for Again isn’t drawn anew: nothing more is bought',
  async (_, route) => {
    const scene = await startDiscordScene();
    const { ada, owner, discord } = scene;
    const image = await drawn(scene);
    const release = discord.faults.hold(route);
    ada.presses(image, 'Again');
    await scene.until('the wait', () => discord.faults.left(route) === 0);
    owner.deletes(image);
    await scene.rests();
    release();
    await scene.rests();
    expect(await scene.spent()).toBe(22);
  },
);

describe('Try again of what failed to be made of an image', () => {
  async function failed(label: string): Promise<{ scene: DiscordScene; image: Message; again: Message }> {
    const scene = await startDiscordScene();
    const { bob, discord } = scene;
    const image = await drawn(scene);
    bob.submits(await discord.opened(bob.presses(image, label)), {
      prompt: 'the same by night [[filter once]]',
    });
    const again = await discord.until('Try again', () =>
      everything(scene).find((one) => labelsOf(one).includes('Try again')),
    );
    return { scene, image, again };
  }
  it('buys nothing once a moderator has deleted that, and says why', async () => {
    const { scene, image, again } = await failed('Edit');
    const spent = await scene.spent();
    scene.owner.deletes(image);
    await scene.rests();
    scene.bob.presses(again, 'Try again');
    await scene.discord.until('why', () =>
      everything(scene).find(({ content }) => content.includes('The result is no longer available')),
    );
    expect(await scene.spent()).toBe(spent);
  });

  it('makes it for its requester alone if a moderator deletes that meanwhile', async () => {
    const { scene, image, again } = await failed('To video');
    const before = new Set(everything(scene));
    scene.bob.presses(again, 'Try again');
    await scene.discord.until('its announcement', () => everything(scene).find((one) => !before.has(one)));
    scene.owner.deletes(image);
    const withFile = () => everything(scene).filter((one) => one !== image && one.files.length > 0);
    await scene.discord.until('the result', () => withFile().length > 0);
    await scene.rests();
    expect(withFile().map(({ onlyFor }) => onlyFor)).toEqual([scene.bob.user.id]);
  });
});

/** An image of Ada's, and Bob's edit of it. */
async function editedByBob(scene: DiscordScene): Promise<{ image: Message; edited: Message }> {
  const { bob, discord } = scene;
  const image = await drawn(scene);
  bob.submits(await discord.opened(bob.presses(image, 'Edit')), { prompt: 'the same by night' });
  const edited = await finished(scene, (one) => one.id !== image.id && one.files.length > 0);
  return { image, edited };
}

it('an edit stands though its image is deleted while Again waits for its turn: who pressed is told that nothing was spent', async () => {
  const scene = await startDiscordScene({ limits: { ...ratesPerMinute, images: 2 } });
  const { bob, owner, discord } = scene;
  const { image, edited } = await editedByBob(scene);
  const shown = [edited.files[0], edited.content, labelsOf(edited)];
  bob.presses(edited, 'Again');
  await scene.until('its turn is waited for', () => edited.content.includes('in the queue'));
  owner.deletes(image);
  const told = await discord.until('why', () =>
    everything(scene).find(({ content }) =>
      content.includes('The result is no longer available. Nothing was spent.'),
    ),
  );
  expect(labelsOf(told)).toEqual([]);
  expect(told.onlyFor === bob.user.id || told.channelId === bob.direct().id).toBe(true);
  await scene.rests();
  expect(scene.said()).toEqual([edited]);
  expect([edited.files[0], edited.content, labelsOf(edited)]).toEqual(shown);
  expect(await scene.spent()).toBe(44);
});

it('who deletes their question while Again waits for its turn is told nothing: the image is shown as it was', async () => {
  const scene = await startDiscordScene({ limits: { ...ratesPerMinute, images: 1 } });
  const { ada, channel } = scene;
  const question = ada.mentions(channel, 'imagine: a boat');
  const image = await finished(scene, ({ files }) => files.length > 0);
  const shown = [image.content, labelsOf(image)];
  ada.presses(image, 'Again');
  await scene.until('its turn is waited for', () => image.content.includes('in the queue'));
  ada.deletes(question);
  await scene.until('the image as it was', () => image.content === shown[0]);
  await scene.rests();
  expect([image.content, labelsOf(image)]).toEqual(shown);
  expect(scene.said(ada.direct())).toEqual([]);
  expect(await scene.spent()).toBe(22);
});
