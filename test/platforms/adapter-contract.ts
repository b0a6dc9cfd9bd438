import { describe, expect, it } from 'vitest';
import {
  type Address,
  fileOf,
  type MessageAddress,
  type PlatformAdapter,
  PlatformError,
} from '../../src/port/index.ts';

/** A message as people see it, on whatever platform. */
export interface SeenMessage {
  readonly text: string;
  /** The words on its buttons. */
  readonly buttons: readonly string[];
  readonly files: readonly string[];
  /** Who was notified by it. */
  readonly notified: readonly string[];
}

/** A platform's adapter with a place to post at. */
export interface OutletPlace {
  readonly adapter: PlatformAdapter;
  readonly address: Address;
  /** Somebody there. */
  readonly person: string;
  /** What the bot has posted at the place, or in a thread of it, oldest first. */
  seen(thread?: Address): Promise<readonly SeenMessage[]>;
  /** Waits for the adapter's work, and lets the time pass that it needs. */
  settled<T>(work: Promise<T>): Promise<T>;
}

const button = { id: 'imagine.remove:job', label: 'Delete' };
const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3, 4]);
const file = (name: string, contentType: string, kind: 'image' | 'video') =>
  fileOf(bytes, { name, contentType, kind, description: 'for those who cannot see' });
const image = file('image.png', 'image/png', 'image');
const film = file('video.mp4', 'video/mp4', 'video');

/** What every platform's adapter has to keep to: the port's doc comments, tried. */
export function adapterContract(name: string, open: () => Promise<OutletPlace>): void {
  describe(`the adapter of ${name}`, () => {
    const begin = async () => {
      const place = await open();
      const { adapter, address, settled } = place;
      return {
        ...place,
        post: (message: Parameters<PlatformAdapter['post']>[1], key = 'key', where: Address = address) =>
          settled(adapter.post(where, message, key)),
      };
    };

    it('posts once by key, however often and however much at once it is asked', async () => {
      const { adapter, address, post, seen, settled } = await begin();
      const message = { text: 'once only', buttons: [button] };
      const first = await settled(Promise.all([1, 2, 3].map(() => adapter.post(address, message, 'key'))));
      expect(await post(message)).toEqual(first[0]);
      const all = await seen();
      expect(all).toHaveLength(1);
      expect(all[0]).toMatchObject({ buttons: ['Delete'], files: [] });
      expect(all[0]?.text).toContain('once only');
    });

    it('posts no more of a long text once whoever is told of its messages throws', async () => {
      const { adapter, address, seen, settled } = await begin();
      const stop = new Error('stop');
      const post = adapter.post(address, { text: 'word '.repeat(5_000) }, 'key', () => Promise.reject(stop));
      await expect(settled(post)).rejects.toBe(stop);
      expect(await seen()).toHaveLength(1);
    });

    it('posts anew under another key', async () => {
      const { post, seen } = await begin();
      await post({ text: 'one' }, 'one');
      await post({ text: 'two' }, 'two');
      expect(await seen()).toHaveLength(2);
    });

    it('an edit shows exactly the text and the buttons it is given', async () => {
      const { adapter, post, seen, settled } = await begin();
      const message = await post({ text: 'before', buttons: [button] });
      await settled(adapter.edit(message, { text: 'after' }));
      const [only] = await seen();
      expect(only?.text).toContain('after');
      expect(only?.text).not.toContain('before');
      expect(only?.buttons).toEqual([]);
    });

    it('an announcement becomes its result once, with its file', async () => {
      const { adapter, post, seen, settled } = await begin();
      const message = await post({ text: 'drawing' });
      const result = { text: 'a cat', files: [image], buttons: [button] };
      const done = await settled(adapter.complete(message, result, 'ready'));
      expect(await settled(adapter.complete(message, result, 'ready'))).toEqual(done);
      const all = await seen();
      expect(all.flatMap(({ files }) => files)).toEqual(['image.png']);
      expect(all.some(({ text }) => text.includes('a cat'))).toBe(true);
      expect(all.some(({ text }) => text.includes('drawing'))).toBe(false);
    });

    it("a message's files can be named and read again, and stay when it is edited", async () => {
      const { adapter, post, settled, seen } = await begin();
      const message = await post({ text: 'a film', files: [film], buttons: [button] });
      await settled(adapter.edit(message, { text: 'still a film' }));
      expect((await seen()).flatMap(({ files }) => files)).toEqual(['video.mp4']);
      const [attached] = await settled(adapter.attachments(message));
      expect(attached).toMatchObject({ name: 'video.mp4', contentType: 'video/mp4', size: bytes.length });
      if (!attached) throw new Error('no file');
      expect(Buffer.from(await settled(adapter.readFile(attached, 100)))).toEqual(Buffer.from(bytes));
    });

    it('a thread opens below a message, and a thread within it is the same one', async () => {
      const { adapter, post, seen, settled } = await begin();
      const root = await post({ text: 'root' });
      const thread = await settled(adapter.openThread(root, 'a thread'));
      const inside = await post({ text: 'inside' }, 'inside', thread);
      const again = await settled(adapter.openThread(inside, 'another'));
      expect(again.thread).toBe(thread.thread);
      expect(again.channel).toBe(thread.channel);
      expect((await seen(thread)).some(({ text }) => text.includes('inside'))).toBe(true);
    });

    it('notifies those who are named, and nobody else, whatever the text says', async () => {
      const { person, post, seen } = await begin();
      const text = `look @everyone @here <!channel> <!here> <@${person}> <@!${person}> <@&1>`;
      await post({ text }, 'quiet');
      await post({ text, mentions: [person] }, 'named');
      expect((await seen()).map(({ notified }) => notified)).toEqual([[], [person]]);
    });

    it('what is removed is gone, and says so', async () => {
      const { adapter, post, seen, settled } = await begin();
      const message = await post({ text: 'a film', files: [film], buttons: [button] });
      await settled(adapter.remove(message));
      expect(await seen()).toEqual([]);
      await expect(settled(adapter.edit(message, { text: 'x' }))).rejects.toThrow(PlatformError);
      await expect(settled(adapter.edit(message, { text: 'x' }))).rejects.toMatchObject({
        kind: expect.stringMatching(/^(?:gone|deleted)$/),
      });
    });

    it('addresses are plain data: they work after they were stored', async () => {
      const { adapter, post, seen, settled } = await begin();
      const message = await post({ text: 'before' });
      const stored = JSON.parse(JSON.stringify(message)) as MessageAddress;
      await settled(adapter.edit(stored, { text: 'after' }));
      expect((await seen())[0]?.text).toContain('after');
    });

    it('takes files of a sensible size', async () => {
      const { adapter, address, settled } = await begin();
      for (const kind of ['image', 'audio', 'video'] as const) {
        expect(await settled(adapter.maxFileBytes(address, kind))).toBeGreaterThan(1024 ** 2);
      }
    });
  });
}
