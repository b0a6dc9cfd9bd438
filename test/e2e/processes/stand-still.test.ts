import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { Wish } from '../../crash/place.ts';
import { Bots } from './support/bots.ts';
import { Writes } from './support/writes.ts';

/** Of everything one; the questions take longer to answer than the test. */
const wishes: readonly Wish[] = [
  { command: 'video', prompt: 'a film of a lighthouse' },
  { command: 'imagine', prompt: 'an image of a lighthouse' },
  { command: 'speak', prompt: 'A clip.', about: 'sam' },
  { command: 'ask', prompt: 'tell me a story of 900 words' },
  { command: 'ask', by: 'bob', prompt: 'tell me a tale of 900 words' },
];

let bots: Bots | undefined;
let writes: Writes | undefined;

afterEach(async () => {
  writes?.end();
  await bots?.close();
});

it('a process that was taken for dead and goes on says, buys and changes nothing any more', async () => {
  const made = Promise.withResolvers<void>();
  bots = await Bots.start({ count: 1, making: made.promise, pace: 0.2, noticeSoon: true });
  const { places, service } = bots;
  const here = bots;
  const [first] = here.living;
  if (!first) throw new Error('no process');
  const given = places.flatMap((place) => wishes.map((wish) => ({ place, wish })));
  for (const { place, wish } of given) place.give(wish);
  const answers = () =>
    here.query<{ last_text: string }>(`select last_text from live_answers where messages <> '[]'`);
  // Both platforms asked for each.
  const areMade = () => `${[...service.made.values()]}` === '2,2,2';

  // Nobody is there who could find it dead: it goes on, as soon as the database has confirmed that it lives.
  await here.until('everything is under way', async () => areMade() && (await answers()).length >= 4);
  here.freeze(first);
  await wait(1_000);
  const before = await answers();
  first.signal('SIGCONT');
  await here.until('its answers go on', async () => {
    const texts = (await answers()).map((answer) => answer.last_text);
    return before.every(({ last_text }) => !texts.includes(last_text));
  });
  await here.add();

  here.freeze(first);
  const dead = 'select 1 from processes where ended_at is not null';
  await here.until('it is taken for dead', async () => (await here.query(dead)).length === 1);
  made.resolve();
  await here.until('everything is over', () => here.isQuiet());
  for (const { place, wish } of given) {
    const { delivered, uncertain, told } = place.fate(wish);
    const about = `${place.name}: ${wish.command}`;
    expect({ about, ends: delivered + uncertain + told }).toEqual({ about, ends: 1 });
  }
  expect([...service.made.values()]).toEqual([2, 2, 2]);

  const ledger = () => here.query('select id, state, high, settled_at from ledger order by id');
  const [texts, spent] = [places.flatMap((place) => place.texts()), await ledger()];
  writes = new Writes();
  first.signal('SIGCONT');
  expect(await first.end()).toBe(1);
  expect(writes.seen).toEqual([]);
  expect(places.flatMap((place) => place.texts())).toEqual(texts);
  expect(places.flatMap((place) => place.hanging())).toEqual([]);
  expect(await ledger()).toEqual(spent);
});
