import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Message } from '../../fakes/discord/index.ts';
import { changeSandbox } from '../../fakes/sandbox.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { type DiscordScene, labelsOf, privately, startDiscordScene } from '../support/discord-scene.ts';

const pages = ['‹', '2/2', '›'];
const first = ['Reply', 'Regenerate', 'Listen', 'Draw it', 'Delete', '👍', '👎'];

/** Asks, and waits until the answer stands there. */
async function asked(scene: DiscordScene, prompt = 'Say something about tides'): Promise<Message> {
  const before = scene.said().length;
  scene.ada.types(scene.channel, { name: 'ask', options: { prompt } });
  return scene.discord.until('the answer', () => {
    const message = scene.said()[before];
    return message && labelsOf(message).includes('Regenerate') ? message : undefined;
  });
}

const showsPages = (scene: DiscordScene, message: Message, page: string) =>
  scene.discord.until(page, () => labelsOf(message).includes(page));

it('one’s own Regenerate writes the new answer in the same message; anyone pages, after a restart too', async () => {
  const scene = await startDiscordScene();
  await changeSandbox(scene.sandbox, {
    answers: ['The first answer.', 'The second answer.', 'The third answer.'],
  });
  const { discord, ada, bob } = scene;
  const message = await asked(scene);
  const header = message.content.split('\n')[0] ?? '';
  expect(header).toContain('tides');
  ada.presses(message, 'Regenerate');
  await showsPages(scene, message, '2/2');
  expect(message.content).toBe(`${header}\nThe second answer.`);
  expect(labelsOf(message)).toEqual([...first, ...pages]);
  expect(scene.said()).toHaveLength(1);

  bob.presses(message, '‹');
  await showsPages(scene, message, '1/2');
  expect(message.content).toBe(`${header}\nThe first answer.`);
  await scene.restart();
  bob.presses(message, '›');
  await showsPages(scene, message, '2/2');
  expect(message.content).toBe(`${header}\nThe second answer.`);
  bob.presses(message, '‹');
  await showsPages(scene, message, '1/2');
  ada.presses(message, 'Regenerate');
  await showsPages(scene, message, '3/3');
  expect(message.content).toBe(`${header}\nThe third answer.`);

  // The clip reads the version that is shown, which the conversation no longer has.
  bob.presses(message, '‹');
  await showsPages(scene, message, '2/3');
  expect(scene.said()).toHaveLength(1);
  const drawing = await discord.opened(bob.presses(message, 'Draw it'));
  expect(JSON.stringify(drawing.modal)).toContain('The second answer.');
  expect(scene.said()).toHaveLength(1);
});

it('a new version that comes to nothing leaves the one before with its buttons, and tells its requester alone', async () => {
  const scene = await startDiscordScene();
  const message = await asked(scene);
  const { content } = message;
  await changeSandbox(scene.sandbox, { faults: [{ operation: 'chat', do: 'error', status: 400 }] });
  scene.ada.presses(message, 'Regenerate');
  await privately(scene, scene.ada, '⚠️');
  expect(message.content).toBe(content);
  expect(labelsOf(message)).toEqual(first);
  expect(scene.said()).toHaveLength(1);
});

it('where Discord takes no edit of the message, the new answer comes as a message of its own', async () => {
  const scene = await startDiscordScene();
  const message = await asked(scene);
  const { content } = message;
  scene.discord.world.readings.lateEdit = 'refused';
  (message as { createdAt: number }).createdAt -= 2 * 3_600_000;
  scene.ada.presses(message, 'Regenerate');
  await scene.discord.until('the new answer', () => {
    const [, other] = scene.said();
    return other && labelsOf(other).includes('Regenerate');
  });
  expect(message.content).toBe(content);
  expect(labelsOf(message)).toEqual(first);
});

it('a new version that breaks off leaves the one before; what was written of it is a page away', async () => {
  const scene = await startDiscordScene();
  await changeSandbox(scene.sandbox, {
    answers: ['The first answer.', `Beginning ${'word '.repeat(100)}end.`],
  });
  const message = await asked(scene);
  await changeSandbox(scene.sandbox, {
    faults: [{ operation: 'chat', do: 'cut', when: 'during', after_deltas: 5 }],
  });
  scene.ada.presses(message, 'Regenerate');
  await privately(scene, scene.ada, ' ');
  await showsPages(scene, message, '1/2');
  expect(message.content).toContain('The first answer.');
  scene.bob.presses(message, '›');
  await showsPages(scene, message, '2/2');
  expect(message.content).toContain('Beginning');
  expect(labelsOf(message)).toEqual(['Try again', 'Delete', ...pages]);
});

it('if the message is deleted meanwhile, the new answer goes to who asked for it alone', async () => {
  const scene = await startDiscordScene();
  await changeSandbox(scene.sandbox, {
    answers: ['The first answer.', `Beginning ${'word '.repeat(100)}end.`],
  });
  const message = await asked(scene);
  await changeSandbox(scene.sandbox, { pace: 'human' });
  scene.ada.presses(message, 'Regenerate');
  await scene.discord.until('its words', () => message.content.includes('word'));
  scene.ada.deletes(message);
  const direct = scene.ada.direct();
  await scene.saying('Beginning word', direct);
  expect(scene.said()).toEqual([]);
});

it('if the message is deleted before its first edit gets through, no new answer is written', async () => {
  const scene = await startDiscordScene();
  const { discord, ada, bob, channel } = scene;
  await changeSandbox(scene.sandbox, {
    answers: ['The first answer.', 'The second answer.', 'The third answer.'],
  });
  const message = await asked(scene);
  const edit = 'PATCH /channels/{channel_id}/messages/{message_id}';
  const release = discord.faults.hold(edit);
  ada.presses(message, 'Regenerate');
  await discord.until('the edit', () => discord.faults.left(edit) === 0);
  bob.deletes(message);
  release();
  // One person's commands are answered in their order.
  ada.types(channel, { name: 'ask', options: { prompt: 'And now?' } });
  await scene.saying('And now?');
  const next = await scene.labelled('Regenerate');
  expect(next.content).toContain('The second answer.');
  expect(scene.said()).toEqual([next]);
  expect(scene.said(ada.direct())).toEqual([]);
});

it('stopped before its first words, a new version leaves the one before', async () => {
  const scene = await startDiscordScene();
  const message = await asked(scene);
  const { content } = message;
  await changeSandbox(scene.sandbox, {
    pace: 'human',
    faults: [{ operation: 'chat', do: 'stall', when: 'before' }],
  });
  scene.ada.presses(message, 'Regenerate');
  scene.ada.presses(message, 'Regenerate');
  await privately(scene, scene.ada, 'already on its way');
  await scene.discord.until('Stop', () => labelsOf(message).includes('Stop'));
  expect(message.content).toBe(content);
  scene.ada.presses(message, 'Stop');
  await privately(scene, scene.ada, 'Stopped');
  expect(message.content).toBe(content);
  expect(labelsOf(message)).toEqual(first);
});

it('where the process dies, what was written is a version, and the one before is a page away', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'troupe.db');
  const scene = await startDiscordScene({}, { environment: { DATABASE_URL: `sqlite:${file}` } });
  await changeSandbox(scene.sandbox, {
    answers: ['The first answer.', `Beginning ${'word '.repeat(150)}end.`],
  });
  const message = await asked(scene);
  await changeSandbox(scene.sandbox, { pace: 'human' });
  scene.ada.presses(message, 'Regenerate');
  await scene.discord.until('its words', () => (message.content.match(/word/g)?.length ?? 0) > 20);
  // What is on the disk now is all that a process which is killed here leaves.
  for (const end of ['', '-wal']) await copyFile(`${file}${end}`, `${file}.now${end}`);
  await scene.restart(async () => {
    await rm(`${file}-shm`, { force: true });
    for (const end of ['', '-wal']) await copyFile(`${file}.now${end}`, `${file}${end}`);
  });
  await scene.discord.until('the notice', () => message.content.endsWith('*Interrupted by a restart.*'));
  await showsPages(scene, message, '2/2');
  expect(message.content).toContain('Beginning word word');
  expect(labelsOf(message)).toEqual([
    'Reply',
    'Try again',
    'Continue',
    'Listen',
    'Delete',
    '👍',
    '👎',
    ...pages,
  ]);
  expect(scene.said()).toHaveLength(1);
  scene.bob.presses(message, '‹');
  await showsPages(scene, message, '1/2');
  expect(message.content).toContain('The first answer.');
});

it('an answer that outgrows its message goes on in further ones, without pages', async () => {
  const scene = await startDiscordScene();
  await changeSandbox(scene.sandbox, { answers: ['A short answer.', `${'word '.repeat(500)}end.`] });
  const message = await asked(scene);
  scene.ada.presses(message, 'Regenerate');
  const last = await scene.discord.until('the rest', () =>
    scene.said().find((one) => one.content.endsWith('end.')),
  );
  await scene.discord.until('its buttons', () => labelsOf(last).includes('Regenerate'));
  expect(message.content).toContain('word word');
  expect(labelsOf(message)).toEqual([]);
  expect(labelsOf(last)).toEqual(first);
});
