import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { maxPersonas } from '../../src/place-settings/index.ts';
import { botSettings } from '../fakes/bot-settings.ts';
import { admin, ann, here, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const tim = 'en_male_tim_uranus_bigtts';
const vivi = 'zh_female_vv_uranus_bigtts';
const elsewhere = { ...here, channel: 'other' };
const parts = {
  prompt: 'You are a lighthouse keeper.',
  voice: tim,
  model: 'svc-llm-1.5-pro',
  image_size: '4k',
};
const set = (options: Record<string, string>, address = here) =>
  stage.give('settings', options, admin, address);
const models = async () => (await stage.ledger()).map(({ model }) => model);
const latestOptions = async () => {
  const rows = await stage.database
    .selectFrom('jobs')
    .select('options')
    .orderBy(sql`rowid`, 'desc')
    .execute();
  return JSON.parse(rows[0]!.options);
};
const personaOf = async () => (await latestOptions()).as;
/** Tokens of the system prompt. */
const tokensOf = (prompt: string) => Math.ceil(prompt.length / 4) + 4;

describe('personas', () => {
  it('are added, shown, changed and removed in forms; names are the same in any case', async () => {
    await set({ page: 'personas' });
    expect(stage.text).toContain('There aren’t any yet.');
    expect(stage.buttons).toEqual(['Add a persona', 'Back']);
    const opened = await stage.press('Add a persona', admin);
    expect(opened).toMatchObject({
      form: { fields: ['name', 'prompt', 'voice', 'model', 'image_size'], values: {} },
    });
    await stage.press('Add a persona', admin, { name: ' Ada  Lovelace ', ...parts });
    expect(stage.text).toContain('✅ Saved: `Ada Lovelace`');
    await stage.press('Add a persona', admin, { name: 'ADA LOVELACE' });
    expect(stage.text).toContain('There’s a persona `ADA LOVELACE` already.');
    await set({ page: 'personas' });
    await stage.press('Ada Lovelace', admin);
    expect(stage.text).toContain(parts.prompt);
    expect(await stage.press('Edit', admin)).toMatchObject({
      form: { title: 'Ada Lovelace', values: { name: 'Ada Lovelace', ...parts } },
    });
    await set({ as: 'ada lovelace' }, elsewhere);
    await set({ page: 'personas' });
    await stage.press('Ada Lovelace', admin);
    await stage.press('Edit', admin, { name: 'Bea', voice: vivi });
    expect(stage.text).toContain('- `Bea` · `zh_female_vv_uranus_bigtts`');
    // Channels go on with one that has another name, and without one that's removed.
    await stage.give('ask', { prompt: 'Hello' }, ann, elsewhere);
    expect(await personaOf()).toBe('Bea');
    await set({ page: 'personas' });
    await stage.press('Bea', admin);
    await stage.press('Remove', admin);
    expect(stage.text).toContain('✅ Removed: `Bea`');
    await stage.give('ask', { prompt: 'Hello' }, ann, elsewhere);
    expect(await personaOf()).toBeUndefined();
    await set({ page: 'history' });
    expect(stage.text).toMatch(/`personas` `Bea · .*` → not set/);
  });

  it.each([
    '*Ada*',
    '<@42>',
    '[x](y)',
    'https://a.example',
    'none',
    'a\u202eb',
    '\u200d',
    '\u3164',
    'A\u034fda',
    'x'.repeat(33),
  ])('aren’t called %s', async (name) => {
    await set({ page: 'personas' });
    await stage.press('Add a persona', admin, { name });
    await set({ page: 'personas' });
    expect(stage.buttons).toEqual(['Add a persona', 'Back']);
  });

  it('are typed, too: what isn’t given stays, and there are only so many', async () => {
    await set({ name: 'Ada', ...parts });
    await set({ name: 'ada', model: 'inherit' });
    expect(stage.text).toContain(`**\`Ada\`** · \`${tim}\` · \`4k\``);
    await set({ name: 'Ada', voice: 'Inherit' });
    expect(stage.text).toContain('**`Ada`** · `4k`');
    for (let index = 1; index < maxPersonas; index++) await set({ name: `number ${index}` });
    await set({ name: 'one more' });
    expect(stage.text).toContain(`There are ${maxPersonas} personas`);
    await set({ page: 'personas' });
    expect(stage.buttons).not.toContain('Add a persona');
    expect(stage.buttons.length).toBeLessThanOrEqual(25);
  });

  it('none is no persona, where a text says who answers, too', async () => {
    await set({ scope: 'workspace', persona: parts.prompt });
    await set({ persona: 'None' });
    expect(stage.text).toContain('- `persona`: `none` (this channel)');
    await stage.give('ask', { prompt: 'Hello' });
    await stage.give('ask', { prompt: 'Hello' }, ann, elsewhere);
    const prompts = (await stage.ledger()).map(({ quantity }) => JSON.parse(quantity).cacheCreationTokens);
    expect(prompts).toEqual([botSettings.systemPrompt, parts.prompt].map(tokensOf));
    await set({ name: 'Ada', prompt: 'none' });
    expect(stage.text).toBe('✅ Saved: `Ada`\n**`Ada`**');
  });

  it('are for administrators alone: no other’s press, and none of a form that’s still open', async () => {
    await set({ name: 'Ada', ...parts });
    await set({ page: 'personas' });
    const page = stage.latest;
    const [open] = page.message.buttons ?? [];
    const former = { ...admin, administrator: false };
    const number = /persona\.(\d+):/.exec(open!.id)![1];
    const forged = ['edit_persona', 'remove_persona'].map((action) =>
      open!.id.replace(/persona\.\d+/, `${action}.${number}`),
    );
    for (const person of [former, { ...ann, administrator: true }, ann])
      for (const id of [stage.buttonId('Add a persona'), open!.id, ...forged])
        for (const values of [undefined, { name: 'Eve' }])
          expect(await stage.pressId(id, page, person, values)).toMatchObject({ kind: 'refused' });
    expect(await stage.give('settings', { name: 'Eve' })).toMatchObject({ kind: 'refused' });
    await stage.give('settings', { name: 'Eve' }, { ...ann, direct: true });
    expect(stage.text).toContain('You can’t change that in a direct message.');
    await set({ page: 'personas' });
    expect(stage.buttons).toEqual(['Ada', 'Add a persona', 'Back']);
  });

  it('stay as they are where one that’s removed is changed by an old button', async () => {
    await set({ name: 'Ada' });
    await set({ page: 'personas' });
    await stage.press('Ada', admin);
    const page = stage.latest;
    const [edit, remove] = page.message.buttons!.map(({ id }) => id);
    await stage.press('Remove', admin);
    expect(await stage.pressId(edit!, page, admin, { name: 'Eve' })).toMatchObject({ kind: 'refused' });
    for (const id of [edit!, remove!]) {
      await stage.pressId(id, page, admin);
      expect(stage.text).toContain('This persona was removed.');
    }
    await set({ page: 'personas' });
    expect(stage.buttons).toEqual(['Add a persona', 'Back']);
  });
});

describe('what answers', () => {
  it('is typed, or else of a persona asked for, one’s own, the channel’s persona, the channel’s', async () => {
    await set({ name: 'Ada', ...parts });
    await set({ model: 'svc-llm-1.5', voice: vivi, image_size: '2k' });
    await stage.give('me', { model: 'svc-llm-1.5', image_size: '3k' });
    await stage.give('ask', { prompt: 'Hello', as: 'ADA' });
    await stage.give('ask', { prompt: 'Hello', as: 'Ada', model: 'svc-llm-1.5' });
    await set({ as: 'Ada' });
    await stage.give('ask', { prompt: 'Hello' });
    await stage.give('imagine', { prompt: 'x' });
    await stage.give('me', { model: 'inherit', image_size: 'inherit' });
    await stage.give('ask', { prompt: 'Hello' });
    await stage.give('imagine', { prompt: 'x' });
    await stage.give('imagine', { prompt: 'x', size: '3k' });
    await stage.make('ask', { prompt: 'Hello', as: 'none' });
    expect(await models()).toEqual([
      ...['svc-llm-1.5-pro', 'svc-llm-1.5', 'svc-llm-1.5', 'image 3k'],
      ...['svc-llm-1.5-pro', 'image 4k', 'image 3k', 'svc-llm-1.5'],
    ]);
    const [first] = await stage.ledger();
    expect(JSON.parse(first!.quantity).cacheCreationTokens).toBe(tokensOf(parts.prompt));
  });

  it('is no unknown persona: its person alone is told which there are, and nothing is spent', async () => {
    expect(await stage.give('ask', { prompt: 'Hello', as: 'Bob' })).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('An administrator can add some'),
    });
    await set({ name: 'Ada' });
    await set({ name: 'Bea' });
    expect(await stage.give('ask', { prompt: 'Hello', as: 'Bob' })).toMatchObject({
      kind: 'refused',
      text: 'There’s no persona `Bob` here. Personas: `Ada`, `Bea`.\nNothing was sent and nothing was spent.',
    });
    await set({ as: 'Bob' });
    expect(stage.text).toContain('There’s no persona `Bob` here.');
    // A channel has a model, too.
    await set({ page: 'personas', model: 'svc-llm-1.5-pro' });
    expect(stage.text).toContain('needs a name');
    expect(await stage.ledger()).toEqual([]);
  });

  it('stays with what comes of its answer, and nobody else’s: Regenerate, Reply and Listen', async () => {
    await set({ name: 'Ada', ...parts });
    await stage.give('ask', { prompt: 'Hello', as: 'Ada' });
    await stage.press('Regenerate');
    expect(await personaOf()).toBe('Ada');
    await stage.press('Reply', ann, { prompt: 'And then?' });
    expect(await personaOf()).toBe('Ada');
    await stage.press('Listen');
    expect((await latestOptions()).voice).toBe(tim);
    await stage.give('ask', { prompt: 'Hello' });
    expect(await personaOf()).toBeUndefined();
    await set({ as: 'Ada' });
    await stage.press('Regenerate');
    expect(await personaOf()).toBe('none');
    // One that's gone can't answer again.
    await stage.give('ask', { prompt: 'Hello' });
    await stage.press('Back', admin);
    await stage.press('Personas', admin);
    await stage.press('Ada', admin);
    await stage.press('Remove', admin);
    expect(await stage.press('Regenerate')).toMatchObject({ kind: 'refused' });
  });
});
