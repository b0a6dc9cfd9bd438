import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { deny, labelsOf, passes, startDiscordScene, threadsIn } from '../support/discord-scene.ts';

it.each([
  ['its requester accepts no direct messages', false],
  ['Discord takes the bot for a spammer', true],
])(
  'what a mention paid for and could be posted nowhere, since %s, is its requester’s to fetch, or comes later, each once',
  async (_, isFlaggedForSpam) => {
    const scene = await startDiscordScene({ pace: 3, renderTime: 5 });
    const { discord, channel, ada, bob } = scene;
    ada.user.acceptsDirectMessages = isFlaggedForSpam;
    discord.world.isFlaggedForSpam = isFlaggedForSpam;
    const mentions = (words: string) => ada.mentions(channel, words);
    const threads = () => threadsIn(scene);
    mentions('video: a cat surfing --duration 4');
    await discord.until('its thread', () => threads().length === 1);
    mentions('Write 400 characters about green');
    await scene.labelled('Stop');
    deny(scene, PermissionFlagsBits.ViewChannel);
    await passes(scene, 5);
    const other = discord.world.addChannel(scene.guild, 'other');

    const listFor = async (person: typeof ada) => {
      const { id } = person.types(other, { name: 'renders' });
      return discord.until('the list', () =>
        discord
          .messagesIn(other, { ephemeral: true })
          .find((one) => one.interactionId === id && one.content !== ''),
      );
    };
    expect(labelsOf(await listFor(bob))).toEqual([]);
    const list = await listFor(ada);
    expect(list.content.match(/^- \w+/gm)).toEqual(['- Video', '- Answer']);
    ada.presses(list, 'Show 1');
    const shown = await discord.until('the video', () =>
      discord.messagesIn(other, { ephemeral: true }).find(({ files }) => files.length > 0),
    );
    expect(labelsOf(shown)).toEqual(['Delete']);

    deny(scene, 0n);
    await passes(scene, 65);
    const filesIn = [channel, ...threads(), ada.direct()].map((place) =>
      scene.said(place).flatMap(({ files }) => files.map(({ contentType }) => contentType)),
    );
    expect(filesIn).toEqual([[], [], []]);
    const said = scene
      .said()
      .map(({ content }) => content)
      .join('\n');
    expect(said.match(/This is the sandbox/g)).toHaveLength(1);
    expect(said).toContain('two sides to green: how.');
    // Of the video, which is fetched, nothing is promised any more.
    expect([said, ...threads().flatMap((one) => scene.said(one))]).toMatchObject([
      expect.stringContaining(`-# ${words('en').fetched}`),
      { content: words('en').fetched },
    ]);
    expect((await listFor(ada)).content).toBe('Nothing is being rendered here.');
  },
);

it('a new version of an answer that its requester fetches: the one before has its message again, with its buttons', async () => {
  const scene = await startDiscordScene({ pace: 3 });
  const { discord, channel, ada, until } = scene;
  ada.user.acceptsDirectMessages = false;
  ada.mentions(channel, 'Write 1800 characters about green');
  const shown = await scene.labelled('Regenerate');
  const { content } = shown;
  const buttons = labelsOf(shown);
  ada.presses(shown, 'Regenerate');
  await until('the new one', () => labelsOf(shown).includes('Stop') && !shown.content.startsWith(content));
  deny(scene, PermissionFlagsBits.ViewChannel);
  await passes(scene, 5);
  const other = discord.world.addChannel(scene.guild, 'other');
  const privately = () => discord.messagesIn(other, { ephemeral: true });
  ada.types(other, { name: 'renders' });
  const list = await discord.until('the list', () =>
    privately().find((one) => labelsOf(one).includes('Show 1')),
  );
  ada.presses(list, 'Show 1');
  await until('the new one', () => privately().some((one) => one.content.length > 1_000));
  deny(scene, 0n);
  await passes(scene, 65);
  expect(shown.content).toBe(`${content}\n\n${words('en').fetched}`);
  expect(labelsOf(shown)).toEqual(expect.arrayContaining([...buttons]));
  expect(labelsOf(shown)).not.toContain('Stop');
});

describe('a result that comes directly, since the bot loses Attach Files meanwhile', () => {
  it('a video: the message above its thread says so', async () => {
    const scene = await startDiscordScene({ renderTime: 2 });
    const { discord, channel, ada, said, withFile } = scene;
    ada.mentions(channel, 'video: a cat surfing --duration 4');
    await discord.until('its thread', () =>
      [...discord.world.channels.values()].some((one) => one.thread && said(one)[0]),
    );
    deny(scene, PermissionFlagsBits.AttachFiles);
    await withFile(ada.direct());
    const note = `-# ${words('en').postedDirectly('no-permission')}`;
    await discord.until('the note', () => said()[0]?.content.endsWith(note));
  });

  it('a version of an image: the one before keeps its buttons', async () => {
    const scene = await startDiscordScene({ renderTime: 1 });
    const { discord, channel, ada, said, withFile } = scene;
    ada.mentions(channel, 'imagine a lighthouse');
    const image = await discord.until('the image', () =>
      said().find((one) => one.files.length > 0 && labelsOf(one).includes('Again')),
    );
    const buttons = labelsOf(image);
    ada.presses(image, 'Again');
    await discord.until('the next one', () => image.content.includes('Drawing'));
    deny(scene, PermissionFlagsBits.AttachFiles);
    await withFile(ada.direct());
    await discord.until('the note', () =>
      image.content.endsWith(words('en').postedDirectly('no-permission')),
    );
    expect(labelsOf(image)).toEqual(buttons);
    expect(image.files).toHaveLength(1);
  });
});
