import { ComponentType, Locale } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import type { Channel, Message } from '../../fakes/discord/index.ts';
import { displayedTexts, galleryItems } from '../../fakes/discord/rules/gallery-rules.ts';
import { changeSandbox } from '../../fakes/sandbox.ts';
import { noise } from '../../platforms/discord/support/pictures.ts';
import { type DiscordScene, startDiscordScene } from '../support/discord-scene.ts';

/** The labels of a message's buttons, row by row. */
const rowsOf = ({ components }: Pick<Message, 'components'>) =>
  components
    .filter(({ type }) => type === ComponentType.ActionRow)
    .map((row) => (row.components as { label: string }[]).map(({ label }) => label));

const textOf = ({ content, components }: Message) => [content, ...displayedTexts(components)].join('');

const withImages = (scene: DiscordScene) => scene.said().filter(({ files }) => files.length > 0);
const nextImages = (scene: DiscordScene, count: number) =>
  scene.discord.until('the images', () => {
    const all = withImages(scene);
    return all.length >= count ? all[count - 1] : undefined;
  });

/** What only one person sees, once it says something. */
const privately = (scene: DiscordScene, person: string) =>
  scene.discord.until('a private word', () =>
    scene.discord
      .messagesIn(scene.channel, { ephemeral: true })
      .find(({ onlyFor, content }) => onlyFor === person && content !== ''),
  );

it.each(['works', 'refused'] as const)(
  'several images come in one message, and each can be used; a gallery in an edit: %s',
  async (galleryByEdit) => {
    const scene = await startDiscordScene({}, {});
    scene.discord.world.readings.galleryByEdit = galleryByEdit;
    scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a <@1> lighthouse', count: 3 } });
    const images = await nextImages(scene, 1);
    expect(scene.said()).toHaveLength(1);
    expect(images.files.map(({ name }) => name)).toEqual(['image-1.png', 'image-2.png', 'image-3.png']);
    expect(galleryItems(images.components)).toHaveLength(galleryByEdit === 'works' ? 3 : 0);
    expect(textOf(images)).toContain('lighthouse');
    expect(textOf(images)).toContain('× 3');
    expect(rowsOf(images)).toEqual([
      ['Use 1', 'Use 2', 'Use 3'],
      ['Again', 'Report', 'Delete'],
    ]);
    expect(await scene.spent()).toBe(66);

    scene.bob.presses(images, 'Use 2');
    const choice = await privately(scene, scene.bob.user.id);
    expect(rowsOf(choice)).toEqual([['Edit', 'To video', 'Again']]);
    scene.bob.submits(await scene.discord.opened(scene.bob.presses(choice, 'Edit')), {
      prompt: 'the same at night',
    });
    const edited = await nextImages(scene, 2);
    expect(edited.content).toContain('the same at night');
    expect(edited.files).toHaveLength(1);
    scene.bob.presses(choice, 'Again');
    expect((await nextImages(scene, 3)).files).toHaveLength(1);
    scene.ada.presses(images, 'Again');
    expect((await nextImages(scene, 4)).files).toHaveLength(3);
    // One refusal is enough to know.
    const refusals = scene.discord.journal.requests.filter(({ status }) => status === 400);
    expect(refusals).toHaveLength(galleryByEdit === 'works' ? 0 : 1);
  },
);

it('images of one that fails come without it, and a button draws what is missing', async () => {
  const scene = await startDiscordScene();
  scene.discord.world.readings.galleryByEdit = 'works';
  scene.ada.types(scene.channel, {
    name: 'imagine',
    options: { prompt: '灯塔 [[fail 400 once]]', count: 4 },
    locale: Locale.ChineseCN,
  });
  const images = await nextImages(scene, 1);
  expect(images.files).toHaveLength(3);
  expect(textOf(images)).toContain('4 张图片中有 1 张没有画出来');
  expect(rowsOf(images)).toEqual([
    ['选第 1 张', '选第 2 张', '选第 3 张'],
    ['再来一组', '补画 1 张', '举报', '删除'],
  ]);
  expect(await scene.spent()).toBe(66);
  scene.bob.presses(images, '补画 1 张');
  const drawn = await nextImages(scene, 2);
  expect(drawn.files).toHaveLength(1);
  expect(textOf(drawn)).toContain('灯塔');
  expect(await scene.spent()).toBe(88);
});

it('a spoiler stays hidden: one image, and several', async () => {
  const scene = await startDiscordScene();
  scene.discord.world.readings.galleryByEdit = 'works';
  scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'the end', spoiler: true } });
  const one = await nextImages(scene, 1);
  expect(one.files.map(({ name, spoiler }) => [name, spoiler])).toEqual([['SPOILER_image.png', true]]);
  scene.ada.types(scene.channel, {
    name: 'imagine',
    options: { prompt: 'the end', spoiler: true, count: 2 },
  });
  const two = await nextImages(scene, 2);
  expect(galleryItems(two.components).map(({ spoiler }) => spoiler)).toEqual([true, true]);
  expect(two.files.every(({ spoiler }) => spoiler)).toBe(true);
});

it.each([
  ['Edit', { prompt: 'the end, but at night' }],
  ['To video', { prompt: 'the end', duration: '4', resolution: '480p' }],
] as const)('what comes of a hidden image by %s is hidden, too', async (button, values) => {
  const scene = await startDiscordScene();
  scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'the end', spoiler: true } });
  const hidden = await nextImages(scene, 1);
  scene.bob.submits(await scene.discord.opened(scene.bob.presses(hidden, button)), values);
  const everywhere = () => [...scene.discord.world.channels.values()].flatMap((place) => scene.said(place));
  const made = await scene.discord.until('what is made', () =>
    everywhere().find(({ id, files }) => id !== hidden.id && files.length > 0),
  );
  expect(made.files.map(({ spoiler }) => spoiler)).toEqual([true]);
});

// Fact: A hidden file is named SPOILER_… or has the flag 1<<3 (resources/message, attachment flags)
it('what’s drawn from an image that somebody hid is hidden: from the menu, in a reply, and by a button after that', async () => {
  const scene = await startDiscordScene({}, { readings: { referencedMessage: 'uncovered' } });
  const { discord, ada, bob, channel } = scene;
  const hidden = (file: { name: string; spoiler?: boolean }) =>
    bob.writes(channel, 'the end', {
      files: [{ ...file, contentType: 'image/png', bytes: noise(16) }],
    });
  const spoilersOf = async (count: number) =>
    (await nextImages(scene, count)).files.map(({ name, spoiler }) => [name, spoiler]);
  const expected = [['SPOILER_image.png', true]];

  ada.submits(await discord.opened(ada.picks(hidden({ name: 'SPOILER_end.png' }), 'Imagine this')), {});
  expect(await spoilersOf(1)).toEqual(expected);
  const replyTo = hidden({ name: 'end.png', spoiler: true });
  ada.mentions(channel, 'imagine: the end, at night', { replyTo });
  expect(await spoilersOf(2)).toEqual(expected);
  bob.submits(await discord.opened(bob.presses(await nextImages(scene, 1), 'Edit')), {
    prompt: 'the end, at dawn',
  });
  expect(await spoilersOf(3)).toEqual(expected);
});

it('a hidden image stays hidden in its versions, after a restart, and once it’s shared', async () => {
  const scene = await startDiscordScene();
  const { discord, ada, channel } = scene;
  const draws = { name: 'imagine', options: { prompt: 'the end', spoiler: true } };
  ada.types(channel, draws);
  const image = await nextImages(scene, 1);
  const shows = (name: string) =>
    discord.until(name, () => image.files[0]?.spoiler === true && image.files[0].name === name);
  ada.presses(image, 'Again');
  await shows('SPOILER_image-v2.png');
  await scene.restart();
  ada.presses(image, '‹');
  await shows('SPOILER_image.png');

  ada.types(channel, { ...draws, options: { ...draws.options, private: true } });
  const alone = await discord.until('the private image', () =>
    discord.aside(channel, ada).find(({ files }) => files.length > 0),
  );
  ada.presses(alone, 'Share here');
  const shared = await nextImages(scene, 2);
  expect(shared.files.map(({ name, spoiler }) => [name, spoiler])).toEqual([['SPOILER_image.png', true]]);
});

it('what waits in the queue has a button that cancels it, and nothing is spent', async () => {
  const scene = await startDiscordScene();
  const { discord, ada, bob, channel } = scene;
  const waiting = (prompt: string) => {
    const about = () => scene.said().find((message) => textOf(message).includes(prompt));
    return discord.until('its turn', () => {
      const found = about();
      return found && rowsOf(found).length > 0 ? found : undefined;
    });
  };
  // The service says when to come back; until then everything else of the key waits, too.
  ada.types(channel, { name: 'imagine', options: { prompt: 'first [[rate limit 40 once]]' } });
  await discord.until('the pause', () => scene.said().some((message) => textOf(message).includes('first')));
  ada.types(channel, { name: 'imagine', options: { prompt: 'second', count: 2 } });
  const second = await waiting('second');
  expect(rowsOf(second)).toEqual([['Cancel']]);
  expect(textOf(second)).toMatch(/You’re number \d+ in the queue/);
  bob.presses(second, 'Cancel');
  expect((await privately(scene, bob.user.id)).content).toContain('Only the person who ran the command');
  ada.presses(second, 'Cancel');
  await discord.until('the end', () => textOf(second).includes('Canceled. Nothing was spent.'));
  expect(rowsOf(second)).toEqual([['Try again', 'Delete']]);

  ada.types(channel, {
    name: 'imagine',
    options: { prompt: '第三张' },
    locale: Locale.ChineseCN,
  });
  await waiting('第三张');
  ada.types(channel, { name: 'renders', locale: Locale.ChineseCN });
  const list = await discord.until('the list', () =>
    discord.aside(channel, ada).find(({ content }) => content.includes('第三张')),
  );
  // The first one waits again, too: the service refused it for now.
  expect(rowsOf(list).flat()).toEqual(['取消 #1', '取消 #2']);
  const cancel = '取消 #2';
  ada.presses(list, cancel);
  await discord.until('the end', () =>
    scene.said().some((message) => textOf(message).includes('已取消，没有扣除积分。')),
  );
  ada.presses(list, cancel);
  await discord.told(channel, 'too late to cancel');
  expect(await scene.spent()).toBe(0);
});

it('/renders shows what’s made in a private thread in that thread and to its requester, and to nobody else', async () => {
  const scene = await startDiscordScene();
  const { discord, channel, ada, bob } = scene;
  const secret = discord.threads.openPrivate(channel, ada.user.id, 'Between us');
  const open = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
  // Until the service takes them they are under way.
  for (const [place, prompt] of [
    [secret, 'the merger'],
    [open, 'a lighthouse'],
  ] as const) {
    ada.types(place, { name: 'imagine', options: { prompt: `${prompt} [[rate limit 40]]` } });
    await discord.until('its announcement', () => scene.said(place)[0]);
  }
  const list = async (person: typeof ada, place: Channel) => {
    const shown = () => discord.aside(place, person);
    const before = shown().length;
    person.types(place, { name: 'renders' });
    return discord.until('the list', () => shown()[before]?.content || undefined);
  };
  expect(await list(bob, channel)).toContain('a lighthouse');
  expect(await list(bob, channel)).not.toContain('the merger');
  expect(await list(bob, open)).not.toContain('the merger');
  expect(await list(ada, channel)).toContain('the merger');
  expect(await list(scene.owner, secret)).toContain('the merger');
});

it('a name formats and links nothing in /renders', async () => {
  const scene = await startDiscordScene();
  const { discord, guild, channel, bob } = scene;
  const eve = discord.addPerson(guild, '[a *gift*](https://e.example)');
  eve.types(channel, { name: 'imagine', options: { prompt: 'a kite [[rate limit 40]]' } });
  await discord.until('its announcement', () => scene.said()[0]);
  bob.types(channel, { name: 'renders' });
  const { content } = await privately(scene, bob.user.id);
  expect(content).toContain('a kite');
  expect(content).toContain('(a gifthttps://e.example, for ');
});

it('a button’s id counts only under the message that has the button', async () => {
  const scene = await startDiscordScene();
  const { discord, channel, ada, bob } = scene;
  ada.types(channel, { name: 'imagine', options: { prompt: 'hers' } });
  const hers = await nextImages(scene, 1);
  bob.types(channel, { name: 'imagine', options: { prompt: 'his' } });
  const his = await nextImages(scene, 2);
  const buttons = his.components.flatMap(
    (row) => (row.components ?? []) as { label: string; custom_id: string }[],
  );
  const { custom_id: id = '' } = buttons.find(({ label }) => label === 'Delete') ?? {};
  expect(id).toContain('imagine.remove:');
  bob.forges(hers, 'Delete', id);
  expect((await privately(scene, bob.user.id)).content).toContain('This button has expired');
  expect(withImages(scene)).toHaveLength(2);
  bob.presses(his, 'Delete');
  await discord.until('it is gone', () => withImages(scene).length === 1);
  expect(withImages(scene)).toEqual([hers]);
});

it('one’s own Again draws a new version in the same message, and the arrows page through them after a restart', async () => {
  const scene = await startDiscordScene();
  const { discord, ada, bob } = scene;
  ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
  const message = await nextImages(scene, 1);
  const bytesOf = () => Buffer.from(message.files[0]?.bytes ?? []).toString('base64');
  const first = bytesOf();
  const shows = (name: string) =>
    discord.until(name, () => message.files.length === 1 && message.files[0]?.name === name);
  ada.presses(message, 'Again');
  await shows('image-v2.png');
  const second = bytesOf();
  expect(rowsOf(message)).toEqual([
    ['Again', 'Edit', 'To video', 'Report', 'Delete'],
    ['‹', '2/2', '›'],
  ]);
  expect(scene.said()).toHaveLength(1);

  bob.presses(message, '‹');
  await shows('image.png');
  expect(bytesOf()).toBe(first);
  expect(rowsOf(message)[1]).toEqual(['‹', '1/2', '›']);
  await scene.restart();
  ada.presses(message, '›');
  await shows('image-v2.png');
  expect(bytesOf()).toBe(second);
  ada.presses(message, '‹');
  await shows('image.png');
  ada.presses(message, 'Again');
  await shows('image-v3.png');
  expect(rowsOf(message)[1]).toEqual(['‹', '3/3', '›']);
  bob.presses(message, '›');
  await shows('image.png');

  // Somebody else's is a message of its own.
  bob.presses(message, 'Again');
  const other = await nextImages(scene, 2);
  expect(other.id).not.toBe(message.id);
  expect(rowsOf(other)).toHaveLength(1);
  expect(await scene.spent()).toBe(88);
});

it('new versions whose prices were asked for at the same time are each a page', async () => {
  const scene = await startDiscordScene({}, { environment: { CONFIRM_OVER_CREDITS: '0' } });
  const { discord, ada, channel } = scene;
  const asked = (count: number) =>
    discord.until('the price', () => {
      const questions = discord.messagesIn(channel, { ephemeral: true }).filter((one) =>
        rowsOf(one)
          .flat()
          .some((label) => label.startsWith('Yes')),
      );
      return questions.length === count && questions.at(-1);
    });
  const saysYes = (question: Message) => ada.presses(question, rowsOf(question)[0]?.[0] ?? '');
  ada.types(channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
  saysYes(await asked(1));
  const message = await nextImages(scene, 1);
  const shows = (page: string) => discord.until(page, () => rowsOf(message)[1]?.includes(page));
  ada.presses(message, 'Again');
  saysYes(await asked(1));
  await shows('2/2');
  ada.presses(message, 'Again');
  const third = await asked(1);
  ada.presses(message, '‹');
  await shows('1/2');
  ada.presses(message, 'Again');
  const fourth = await asked(2);
  saysYes(third);
  await shows('3/3');
  saysYes(fourth);
  await shows('4/4');
  const drawn = message.files[0]?.bytes;
  ada.presses(message, '‹');
  await shows('3/4');
  ada.presses(message, '›');
  await shows('4/4');
  expect(message.files[0]?.bytes).toEqual(drawn);
});

it('where a new version fails, the one before stays with its buttons, and the message says why', async () => {
  const scene = await startDiscordScene();
  const { discord, ada } = scene;
  ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
  const message = await nextImages(scene, 1);
  await changeSandbox(scene.sandbox, { faults: [{ operation: 'image', do: 'error', status: 400 }] });
  ada.presses(message, 'Again');
  await discord.until('why', () => message.content.includes('⚠️'));
  expect(message.files.map(({ name }) => name)).toEqual(['image.png']);
  expect(rowsOf(message)).toEqual([['Again', 'Edit', 'To video', 'Report', 'Delete']]);
  expect(await scene.spent()).toBe(22);
});

it('several private images are seen by the requester alone, and can be used there', async () => {
  const { discord, ada, channel } = await startDiscordScene();
  ada.types(channel, { name: 'imagine', options: { prompt: 'a surprise', count: 2, private: true } });
  const images = await discord.until('the images', () =>
    discord.aside(channel, ada).find(({ files }) => files.length === 2),
  );
  expect(rowsOf(images).flat()).toEqual(expect.arrayContaining(['Use 1', 'Use 2', 'Again', 'Delete']));
  ada.presses(images, 'Use 2');
  const choice = await discord.until('the choice', () =>
    discord.aside(channel, ada).find(({ content }) => content.startsWith('Image 2')),
  );
  ada.submits(await discord.opened(ada.presses(choice, 'Edit')), { prompt: 'the same at night' });
  await discord.until('the edited image', () =>
    discord.aside(channel, ada).some(({ files }) => files.length === 1),
  );
  expect(discord.messagesIn(channel).filter(({ onlyFor }) => onlyFor === undefined)).toEqual([]);
});

it('several private images are still the message’s own files, and can be used, once they were shared', async () => {
  const scene = await startDiscordScene();
  const { discord, ada, channel } = scene;
  discord.world.readings.galleryByEdit = 'works';
  ada.types(channel, { name: 'imagine', options: { prompt: 'a surprise', count: 2, private: true } });
  const hidden = () => discord.messagesIn(channel, { ephemeral: true });
  const images = await discord.until('the images', () => hidden().find(({ files }) => files.length === 2));
  await discord.until('the button', () => rowsOf(images).flat().includes('Share here'));
  ada.presses(images, 'Share here');
  expect((await nextImages(scene, 1)).files).toHaveLength(2);
  await discord.until('the label', () => rowsOf(images).flat().includes('Shared'));
  const items = galleryItems(images.components).map(({ media }) => media);
  expect(items).toEqual(images.files.map(({ name }) => ({ url: `attachment://${name}` })));
  ada.presses(images, 'Use 2');
  const choice = await discord.until('the choice', () =>
    hidden().find(({ content }) => content.startsWith('Image 2')),
  );
  ada.submits(await discord.opened(ada.presses(choice, 'Edit')), { prompt: 'the same at night' });
  await discord.until('the edited image', () => hidden().some(({ files }) => files.length === 1));
});
