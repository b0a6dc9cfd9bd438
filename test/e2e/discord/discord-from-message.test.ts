import { Locale } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Interaction, Message } from '../../fakes/discord/index.ts';
import { noise } from '../../platforms/discord/support/pictures.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

const voiceFlag = 1 << 13;
const png = (name: string) => ({ name, contentType: 'image/png', bytes: noise(16) });

/** Chooses a command in the menu of a message, and waits for its form. */
async function formOf(scene: DiscordScene, message: Message, command: string): Promise<Interaction> {
  const picked = await scene.discord.opened(scene.ada.picks(message, command));
  return picked;
}

function inputs({ modal }: Interaction): Record<string, string | undefined> {
  const labels = (modal?.components ?? []) as { component?: { custom_id: string; value?: string } }[];
  return Object.fromEntries(
    labels.flatMap(({ component }) => (component ? [[component.custom_id, component.value]] : [])),
  );
}

function note({ modal }: Interaction): string {
  return String(((modal?.components ?? []) as { content?: string }[])[0]?.content ?? '');
}

/** What the bot told somebody alone. */
const whispers = (scene: DiscordScene) =>
  scene.discord.messagesIn(scene.channel, { ephemeral: true }).filter((message) => message.onlyFor);

describe('the menu of a message on Discord', () => {
  it('Ask about this: the message goes to the model as a quote; the answer says whose message it’s about', async () => {
    const scene = await startDiscordScene();
    const written = scene.bob.writes(scene.channel, 'The number is 4711.');
    const form = await formOf(scene, written, 'Ask about this');
    expect(form.modal?.title).toBe('Ask about this');
    expect(note(form)).toBe('bob: The number is 4711.');
    expect(inputs(form).prompt).toBeUndefined();
    scene.ada.submits(form, { prompt: 'What was the number?' });
    const answer = await scene.labelled('Regenerate');
    const link = `https://discord.com/channels/${scene.guild.id}/${scene.channel.id}/${written.id}`;
    const [header, ...text] = answer.content.split('\n');
    expect(header).toBe(`> **ada** [about bob’s message](<${link}>): What was the number?`);
    expect(text.join('\n')).toContain('4711');
  });

  it('Ask about this: files that it can’t read are named before anything is spent', async () => {
    const scene = await startDiscordScene();
    const written = scene.bob.writes(scene.channel, 'Look', { files: [png('b.png')] });
    const form = await formOf(scene, written, 'Ask about this');
    expect(note(form)).toBe('bob: Look\nI only read text files, so I can’t open b.png.');
  });

  it('Report this: at a person’s message it says at once that only the bot’s can be reported', async () => {
    const scene = await startDiscordScene();
    const picked = scene.ada.picks(scene.bob.writes(scene.channel, 'Hello'), 'Report this');
    await scene.discord.until('a word', () => whispers(scene).length > 0);
    expect(whispers(scene)[0]?.content).toContain('I can only pass on reports of what I made');
    expect(picked.modal).toBeUndefined();
  });

  it('Speak this: the text as it’s heard becomes a voice message; a form never has more than its input takes', async () => {
    const scene = await startDiscordScene();
    const written = scene.bob.writes(scene.channel, '**Good** morning, everybody.');
    const form = await formOf(scene, written, 'Speak this');
    expect(inputs(form).text).toBe('Good morning, everybody.');
    scene.ada.submits(form, {});
    const clip = await scene.withFile();
    expect(clip.flags & voiceFlag).toBe(voiceFlag);
    // Some people may write 4,000 characters.
    written.content = 'Good morning. '.repeat(400);
    const long = await formOf(scene, written, 'Speak this');
    expect(inputs(long).text?.length).toBeGreaterThan(3_900);
    expect(note(long)).toContain('Leave it unchanged');
  });

  it('Imagine this: the text is the prompt, the images are references', async () => {
    const scene = await startDiscordScene();
    const files = [png('a.png'), png('b.png')];
    const written = scene.bob.writes(scene.channel, 'a cat on **the** moon', { files });
    const form = await formOf(scene, written, 'Imagine this');
    expect(inputs(form).prompt).toBe('a cat on **the** moon');
    expect(note(form)).toBe('Its 2 images go along as references.');
    scene.ada.submits(form, {});
    const image = await scene.withFile();
    expect(image.content).toContain('about bob’s message');
  });

  it('a message that is only an image can be asked about and drawn from, but there is nothing to read', async () => {
    const scene = await startDiscordScene();
    const written = scene.bob.writes(scene.channel, '', { files: [png('a.png')] });
    const speak = scene.ada.picks(written, 'Speak this');
    await scene.discord.until('a word', () => whispers(scene).length > 0);
    expect(speak.modal).toBeUndefined();
    expect(whispers(scene)[0]?.content).toContain('no text to read');
    const imagine = await formOf(scene, written, 'Imagine this');
    scene.ada.submits(imagine, { prompt: 'the same at night' });
    await scene.withFile();
    const ask = await formOf(scene, written, 'Ask about this');
    scene.ada.submits(ask, { prompt: 'What might this be?' });
    await scene.labelled('Regenerate');
  });

  it('words that somebody hid stay hidden in headers, forms, and a thread’s name, and aren’t in what describes a file', async () => {
    const scene = await startDiscordScene();
    const { discord, ada, bob, channel } = scene;
    const secret = '||it was *Rosebud*||';
    ada.types(channel, { name: 'ask', options: { prompt: `Why a sled? ${secret}`, thread: true } });
    const answer = await scene.labelled('Regenerate');
    const hidden = String.raw`||it was \*Rosebud\*||`;
    expect(answer.content.split('\n')[0]).toBe(`> **ada**: Why a sled? ${hidden}`);
    const thread = await discord.until('the thread', () => discord.world.channels.get(answer.id));
    expect(thread.name).toBe('Why a sled? …');
    const form = await formOf(scene, bob.writes(channel, `a sled, ${secret}`), 'Ask about this');
    expect(note(form)).toBe(`bob: a sled, ${hidden}`);
    ada.types(channel, { name: 'imagine', options: { prompt: `a sled, ${secret}` } });
    const image = await scene.withFile();
    expect(image.content).toContain(`> a sled, ${secret}`);
    expect(image.files[0]?.description).toBe('a sled, …');
  });

  it('a form survives a restart before it’s sent, in the person’s language', async () => {
    const scene = await startDiscordScene();
    scene.ada.user.locale = Locale.ChineseCN;
    const written = scene.bob.writes(scene.channel, 'The number is 4711.');
    const form = await formOf(scene, written, 'Ask about this');
    expect(form.modal?.title).toBe('就此提问');
    await scene.restart();
    scene.ada.submits(form, { prompt: 'What was the number?' });
    const answer = await scene.labelled('重新生成');
    expect(answer.content).toContain('关于 bob 的消息');
    expect(answer.content).toContain('4711');
  });
});

describe('the buttons under an answer on Discord', () => {
  it('read it aloud, draw it, and take a vote that its administrators see', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'repeat: Hi' } });
    const answer = await scene.labelled('Regenerate');
    expect(answer.components).toHaveLength(2);
    expect(labelsOf(answer)).toEqual(['Reply', 'Regenerate', 'Listen', 'Draw it', 'Delete', '👍', '👎']);
    scene.bob.presses(answer, 'Listen');
    const clip = await scene.withFile();
    expect(clip.flags & voiceFlag).toBe(voiceFlag);
    await scene.discord.until('whose it is', () =>
      scene
        .said()
        .some(({ content }) => content.includes('**bob** · /speak') && content.includes('read aloud')),
    );
    const draw = await scene.discord.opened(scene.bob.presses(answer, 'Draw it'));
    expect(inputs(draw).prompt).toMatch(/^repeat: Hi\nHi/);
    scene.bob.submits(draw, {});
    const hasImage = (message: Message) => message.files[0]?.contentType.startsWith('image/');
    await scene.discord.until('the image', () => scene.said().some(hasImage));
    // A bad vote is acknowledged, and its person may report the answer.
    const said = whispers(scene).length;
    const vote = scene.bob.presses(answer, '👎');
    await scene.discord.until('the vote', () => vote.acknowledgement === 'deferred-update');
    scene.owner.types(scene.channel, { name: 'usage', options: { by: 'feedback' } });
    await scene.discord.until('the report', () =>
      whispers(scene).some(({ content }) => content.includes('general: 👍 0 · 👎 1')),
    );
    expect(whispers(scene).slice(said).map(labelsOf)).toEqual([['Report this'], ['Only mine', 'As CSV']]);
  });

  it('read what the message shows where the conversation was reset, without the line that says who asked', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'repeat: Hi' } });
    const answer = await scene.labelled('Regenerate');
    scene.owner.types(scene.channel, { name: 'reset' });
    await scene.discord.until('the new conversation', () => scene.said().length > 1);
    scene.ada.presses(answer, 'Listen');
    await scene.saying('What this message shows');
  });
});
