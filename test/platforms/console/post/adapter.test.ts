import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Invocation } from '../../../../src/engine/index.ts';
import { type Job, type Message, PlatformError, postDirectly } from '../../../../src/port/index.ts';
import { patternFile, secret } from '../support/commands.ts';
import { startStage } from '../support/stage.ts';

const about = { name: 'clip.ogg', contentType: 'audio/ogg', kind: 'voice', description: 'a clip' } as const;

describe("the console's adapter", () => {
  it('posts once by key, its files too', async () => {
    const stage = await startStage();
    const { adapter } = stage.platform;
    const address = await stage.address();
    const message: Message = {
      text: 'here',
      files: [patternFile(1_000, about)],
      mentions: ['you'],
      link: 'https://a.example/b',
    };
    const posted = await Promise.all([
      adapter.post(address, message, 'k'),
      adapter.post(address, message, 'k'),
    ]);
    expect(posted[0]).toEqual(posted[1]);
    expect(await adapter.post(address, message, 'k')).toEqual(posted[0]);
    const visitor = await stage.visit();
    const messages = await visitor.messages(address.channel);
    expect(messages.length).toBe(1);
    expect(messages[0]).toMatchObject({
      mention: true,
      link: 'https://a.example/b',
      files: [{ name: 'clip.ogg', kind: 'voice', size: 1_000 }],
    });
    expect((await readdir(stage.filesFolder)).length).toBe(1);
    expect(await adapter.post(address, message, 'other')).not.toEqual(posted[0]);
  });

  it('shows what is for a person directly to their session alone: where it asked, or in the first channel', async () => {
    let given: Job | undefined;
    const command = {
      ...secret,
      run: async ({ job, reply }: Invocation) => {
        given = job;
        await reply.say({ text: 'later' });
      },
    };
    const stage = await startStage({ commands: [command] as never[] });
    const { adapter } = stage.platform;
    const [one, other] = [await stage.visit(), await stage.visit()];
    const first = await one.channel();
    const { id: second } = await one.json<{ id: string }>('channels', { name: 'second' });
    await one.command(second, 'secret');
    await one.until(second, (messages) => messages.some(({ author }) => author === 'bot'));
    if (!given) throw new Error('nothing was given');
    const texts = async (visitor: typeof one, place: string) =>
      (await visitor.messages(place)).map((message) => JSON.stringify(message));
    await postDirectly(adapter, given, { text: 'only for one' }, 'k1');
    expect((await texts(one, second)).join()).toContain('only for one');
    const gone = { ...given, address: { ...given.address, channel: 'removed' } };
    await postDirectly(adapter, gone, { text: 'only for one, too' }, 'k2');
    expect((await texts(one, first)).join()).toContain('only for one, too');
    expect([...(await texts(other, first)), ...(await texts(other, second))]).toEqual([]);
  });

  it('says that its one person looks after all of it: reports reach them whoever the bot’s operators are', async () => {
    const stage = await startStage();
    const [{ person = '' } = {}] = await stage.platform.operators();
    expect(await stage.platform.adapter.mayModerate(person, await stage.address())).toBe(true);
  });

  it('makes a message show another text and the buttons it is given; its files stay', async () => {
    const stage = await startStage();
    const { adapter } = stage.platform;
    const address = await stage.address();
    const button = { id: 'a.b:c', label: 'Press' };
    const posted = await adapter.post(
      address,
      { text: 'one', files: [patternFile(9, about)], buttons: [button] },
      'k',
    );
    await adapter.edit(posted, { text: 'two' });
    const [message] = await (await stage.visit()).messages(address.channel);
    expect(message).toMatchObject({
      body: [{ tag: 'p', children: ['two'] }],
      buttons: [],
      files: [{ name: 'clip.ogg' }],
    });
  });

  it('turns an announcement into its result once', async () => {
    const stage = await startStage();
    const { adapter } = stage.platform;
    const address = await stage.address();
    const posted = await adapter.post(address, { text: 'drawing' }, 'k');
    const result = {
      text: 'drawn',
      files: [patternFile(5, { ...about, kind: 'image', contentType: 'image/png', name: 'a.png' })],
    };
    const [first, second] = await Promise.all([
      adapter.complete(posted, result, 'r'),
      adapter.complete(posted, result, 'r'),
    ]);
    expect(first).toEqual(posted);
    expect(second).toEqual(posted);
    await adapter.complete(posted, result, 'r');
    const [message] = await (await stage.visit()).messages(address.channel);
    expect(message?.files.map(({ name }) => name)).toEqual(['a.png']);
    expect((await readdir(stage.filesFolder)).length).toBe(1);
    expect(await adapter.attachments(posted)).toEqual([
      { name: 'a.png', contentType: 'image/png', size: 5, source: expect.any(String) },
    ]);
  });

  it('gives back what a file holds, up to a limit', async () => {
    const stage = await startStage();
    const { adapter } = stage.platform;
    const posted = await adapter.post(await stage.address(), { files: [patternFile(600, about)] }, 'k');
    const [file] = await adapter.attachments(posted);
    const bytes = await adapter.readFile(file!, 600);
    expect([bytes.length, bytes[0], bytes[250], bytes[251]]).toEqual([600, 0, 250, 0]);
    await expect(adapter.readFile(file!, 599)).rejects.toMatchObject({ kind: 'too-large' });
    await expect(adapter.readFile({ ...file!, source: '../secret' }, 9)).rejects.toMatchObject({
      kind: 'gone',
    });
  });

  it('removes a message with its files, and says of what is gone that it is', async () => {
    const stage = await startStage();
    const { adapter } = stage.platform;
    const address = await stage.address();
    const posted = await adapter.post(address, { text: 'x', files: [patternFile(5, about)] }, 'k');
    await adapter.remove(posted);
    expect(await (await stage.visit()).messages(address.channel)).toEqual([]);
    expect(await readdir(stage.filesFolder)).toEqual([]);
    await expect(adapter.edit(posted, { text: 'y' })).rejects.toMatchObject({ kind: 'gone' });
    await expect(adapter.complete(posted, { text: 'y' }, 'r')).rejects.toBeInstanceOf(PlatformError);
    await expect(adapter.post({ ...address, channel: 'none' }, { text: 'y' }, 'z')).rejects.toMatchObject({
      kind: 'gone',
    });
    expect(await adapter.post(address, { text: 'x' }, 'k')).toEqual(posted);
  });

  it('opens one thread under a message, which shows how far it has come', async () => {
    const stage = await startStage();
    const { adapter } = stage.platform;
    const address = await stage.address();
    const root = await adapter.post(address, { text: 'a film' }, 'k');
    const thread = await adapter.openThread(root, ' a cat\nsurfing ');
    expect(await adapter.openThread(root, 'again')).toEqual(thread);
    expect(await adapter.openThread({ ...thread, message: '1' }, 'deeper')).toEqual({ ...thread });
    await adapter.post(thread, { text: 'rendering' }, 'p');
    await adapter.post(thread, { text: '**ready**' }, 'q');
    const visitor = await stage.visit();
    const { threads } = await visitor.state();
    expect(threads).toMatchObject([
      { name: 'a cat surfing', messages: 2, preview: 'ready', message: Number(root.message) },
    ]);
    expect((await visitor.messages(thread.thread!)).length).toBe(2);
    expect((await visitor.messages(address.channel)).length).toBe(1);
  });

  it('leaves nothing of a file that breaks off', async () => {
    const stage = await startStage();
    const { adapter } = stage.platform;
    const broken = {
      ...patternFile(9, about),
      async *open() {
        yield Uint8Array.of(1);
        throw new Error('broke off');
      },
    };
    const post = adapter.post(await stage.address(), { files: [patternFile(3, about), broken] }, 'k');
    await expect(post).rejects.toThrow('broke off');
    expect(await readdir(stage.filesFolder)).toEqual([]);
    expect(await (await stage.visit()).messages((await stage.address()).channel)).toEqual([]);
  });
});
