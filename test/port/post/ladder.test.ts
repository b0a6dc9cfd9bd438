import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  type FormName,
  nextRung,
  type Parcel,
  type RefusalKind,
  type Way,
} from '../../../src/port/index.ts';

const place = [
  { name: 'edit', seenBy: 'place' },
  { name: 'here', seenBy: 'place' },
  { name: 'token', seenBy: 'place' },
] as const satisfies readonly Way[];
const alone = [
  { name: 'aside', seenBy: 'requester' },
  { name: 'direct', seenBy: 'requester' },
] as const satisfies readonly Way[];
const all: readonly Way[] = [...place, ...alone];
const kinds: readonly RefusalKind[] = [
  'no-permission',
  'refused',
  'moderated',
  'gone',
  'deleted',
  'too-large',
  'expired',
  'file-not-allowed',
  'not-a-member',
];
const forms: readonly FormName[] = [
  'whole',
  'mp3',
  'opus',
  'wav',
  'too-large',
  'link',
  'plain',
  'file',
  'bare',
];

/** What's tried until it's over, where everything is refused; `refuse` says why. */
function climbed(
  parcel: Parcel,
  doors: readonly Way[],
  refuse: (count: number) => RefusalKind,
): readonly Attempt[] {
  const tried: Attempt[] = [];
  for (;;) {
    const rung = nextRung(parcel, doors, tried);
    if (!rung) return tried;
    if (tried.length > doors.length * parcel.forms.length) throw new Error('it goes on without end');
    tried.push({ ...rung, refusal: refuse(tried.length) });
  }
}
const text: Parcel = { audience: 'place', isPaid: true, forms: ['whole', 'plain', 'file'] };
const clip: Parcel = { audience: 'place', isPaid: true, forms: ['whole', 'mp3', 'opus', 'bare'] };
const picture: Parcel = { audience: 'place', isPaid: true, forms: ['whole', 'too-large', 'link', 'bare'] };
const rungs = (tried: readonly Attempt[]) => tried.map(({ door, form }) => `${door} ${form}`);

describe('whatever is refused in whatever order', () => {
  const parcels = fc.record({
    audience: fc.constantFrom('place', 'requester', 'anyone'),
    isPaid: fc.boolean(),
    forms: fc.shuffledSubarray([...forms], { minLength: 1 }),
  });
  const refusals = fc.array(fc.constantFrom(...kinds), { minLength: 45, maxLength: 45 });
  const property = (check: (parcel: Parcel, tried: readonly Attempt[]) => void) =>
    fc.assert(
      fc.property(parcels, fc.shuffledSubarray([...all]), refusals, (parcel, doors, refused) => {
        check(
          parcel,
          climbed(parcel, doors, (count) => refused[count] ?? 'refused'),
        );
      }),
      { numRuns: 2_000 },
    );
  const seenBy = (name: string) => all.find((door) => door.name === name)?.seenBy;
  const after = (tried: readonly Attempt[], refusal: RefusalKind, by: Way['seenBy']) => {
    const index = tried.findIndex((one) => one.refusal === refusal && seenBy(one.door) === by);
    return index < 0 ? [] : tried.slice(index + 1).map((one) => ({ ...one, by: seenBy(one.door) }));
  };

  it('it ends, and nothing is tried twice', () =>
    property((_, tried) => {
      expect(new Set(rungs(tried)).size).toBe(tried.length);
    }));

  it('what’s private comes to nobody else', () =>
    property(({ audience }, tried) => {
      if (audience === 'requester') expect(tried.filter(({ door }) => seenBy(door) === 'place')).toEqual([]);
    }));

  it('the same words aren’t shown again where moderation blocked them', () =>
    property((_, tried) => {
      for (const by of ['place', 'requester'] as const)
        for (const next of after(tried, 'moderated', by)) if (next.by === by) expect(next.form).toBe('bare');
    }));

  it('nothing comes back to a place where somebody deleted it, and nothing free comes anywhere', () =>
    property(({ isPaid }, tried) => {
      const rest = after(tried, 'deleted', 'place');
      expect(rest.filter(({ by }) => by === 'place')).toEqual([]);
      if (!isPaid) expect(rest).toEqual([]);
    }));

  it('a door that’s shut is left at once', () =>
    property((_, tried) => {
      for (const [index, { door, refusal }] of tried.entries()) {
        if (!['gone', 'expired', 'not-a-member'].includes(refusal)) continue;
        expect(tried.slice(index + 1).filter((next) => next.door === door)).toEqual([]);
      }
    }));

  it('every door that may be taken is tried, unless somebody deleted it', () =>
    property(({ audience, forms: [first] }, tried) => {
      const isOver = tried.some(({ refusal, door }) => refusal === 'deleted' && seenBy(door) === 'place');
      const isBlocked = tried.some(({ refusal }) => refusal === 'moderated');
      if (isOver || isBlocked || audience !== 'anyone') return;
      for (const door of new Set(tried.map((one) => one.door)))
        expect(tried.find((one) => one.door === door)?.form).toBe(first);
    }));
});

describe('a refusal', () => {
  it.each([
    ['refused', text, ['here whole', 'here plain', 'here file', 'token whole']],
    ['not-a-member', text, ['here whole', 'token whole', 'direct whole']],
    ['file-not-allowed', clip, ['here whole', 'here mp3', 'here opus', 'token whole']],
    ['too-large', picture, ['here whole', 'here too-large', 'token whole', 'token too-large']],
    ['no-permission', picture, ['here whole', 'here link', 'token whole']],
    ['moderated', text, ['here whole', 'direct whole']],
    ['moderated', clip, ['here whole', 'here bare', 'token bare', 'direct whole', 'direct bare']],
    ['deleted', text, ['here whole', 'aside whole', 'direct whole']],
  ] as const)('%s leads to the form that cures it, then to the next door', (refusal, parcel, expected) => {
    const tried = climbed(parcel, all.slice(1), () => refusal);
    expect(rungs(tried).slice(0, expected.length)).toEqual(expected);
  });

  it('leads to the requester alone as the last resort, and never with what’s a result for the place', () => {
    const doorsTried = (audience: Parcel['audience']) =>
      climbed({ ...text, audience }, all, () => 'not-a-member').map(({ door }) => door);
    expect(doorsTried('anyone')).toEqual(['edit', 'here', 'token', 'direct', 'aside']);
    expect(doorsTried('place')).toEqual(['edit', 'here', 'token', 'direct']);
    expect(doorsTried('requester')).toEqual(['aside', 'direct']);
  });

  it('of what’s free ends it where somebody deleted it', () => {
    expect(rungs(climbed({ ...text, isPaid: false }, all, () => 'deleted'))).toEqual(['edit whole']);
  });
});
