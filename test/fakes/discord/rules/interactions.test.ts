import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Interaction } from '../index.ts';
import { type Answered, expectRefused, type Refusal, type Scene, type Sent, startScene } from './scene.ts';

const commands = [
  {
    name: 'ask',
    description: 'Ask',
    options: [{ type: 3, name: 'voice', description: 'Voice', autocomplete: true }],
  },
];

async function typed(more: (scene: Scene) => Partial<Parameters<Scene['ada']['types']>[1]> = () => ({})) {
  const scene = await startScene();
  await scene.api('PUT', `/applications/${scene.discord.world.applicationId}/commands`, { json: commands });
  const interaction = scene.ada.types(scene.channel, { name: 'ask', ...more(scene) });
  return { scene, interaction };
}

const callback = (scene: Scene, { id, token }: Interaction, json: unknown, query = '') =>
  scene.api('POST', `/interactions/${id}/${token}/callback${query}`, { json });
const original = (scene: Scene, { token }: Interaction, json: unknown, files?: Sent['files']) =>
  scene.api('PATCH', `/webhooks/${scene.discord.world.applicationId}/${token}/messages/@original`, {
    json,
    ...(files && { files }),
  });
const followUp = (scene: Scene, { token }: Interaction, json: unknown) =>
  scene.api('POST', `/webhooks/${scene.discord.world.applicationId}/${token}`, { json });
const modal = (components: readonly unknown[], more: object = {}) => ({
  type: 9,
  data: { custom_id: 'm', title: 'Form', components, ...more },
});
const label = (component: object, more: object = {}) => ({ type: 18, label: 'Prompt', component, ...more });
const input = (id = 'prompt', more: object = {}) => ({ type: 4, custom_id: id, style: 2, ...more });

interface Row extends Refusal {
  readonly rule: string;
  readonly attempt: (scene: Scene, interaction: Interaction) => Promise<Answered>;
}
const form = { status: 400, code: 50035 };

/** Parts of a form that are refused, by the rule that each breaks and what's wrong in it. */
const wrongParts: readonly (readonly [rule: string, field: string, component: object])[] = [
  ['an input in a label has no label of its own', 'label', input('p', { label: 'x' })],
  ['an input holds at most 4,000 characters', 'value', input('p', { value: 'x'.repeat(4001) })],
  ['a file part takes at most 10 files', 'max_values', { type: 19, custom_id: 'f', max_values: 11 }],
  [
    'a select has at most 25 options',
    'options',
    {
      type: 3,
      custom_id: 's',
      options: Array.from({ length: 26 }, (_, n) => ({ label: `${n}`, value: `${n}` })),
    },
  ],
  ['nothing in a form is disabled', 'disabled', { type: 5, custom_id: 'u', disabled: true }],
  ['what is required takes one at least', 'min_values', { type: 6, custom_id: 'r', min_values: 0 }],
  [
    'radio buttons have 2 to 10 options',
    'options',
    { type: 21, custom_id: 'o', options: [{ label: 'only', value: 'only' }] },
  ],
  [
    'only one radio button is selected',
    'options',
    {
      type: 21,
      custom_id: 'o',
      options: ['a', 'b'].map((value) => ({ label: value, value, default: true })),
    },
  ],
  [
    'no two radio buttons have the same value',
    'options',
    { type: 21, custom_id: 'o', options: ['a', 'b'].map((text) => ({ label: text, value: 'same' })) },
  ],
  [
    'a select begins with no more options than it takes',
    'options',
    { type: 3, custom_id: 'o', options: ['a', 'b'].map((value) => ({ label: value, value, default: true })) },
  ],
  [
    'who is selected from the start may have to be there',
    'default_values.0.id',
    { type: 7, custom_id: 'who', default_values: [{ id: '123456789012345678', type: 'role' }] },
  ],
  [
    'a group has at most 10 boxes',
    'options',
    {
      type: 22,
      custom_id: 'b',
      options: Array.from({ length: 11 }, (_, n) => ({ label: `${n}`, value: `${n}` })),
    },
  ],
];

/** Rules of interactions/receiving-and-responding and components/using-modal-components. */
const rules: readonly Row[] = [
  {
    rule: 'the first answer comes within 3 s',
    status: 404,
    code: 10062,
    attempt: async (s, i) => {
      await s.clock.advance(3001);
      return callback(s, i, { type: 5 });
    },
  },
  {
    rule: 'there is one first answer',
    status: 400,
    code: 40060,
    attempt: async (s, i) => {
      await callback(s, i, { type: 5 });
      return callback(s, i, { type: 5 });
    },
  },
  {
    rule: 'the token is dead after 15 min',
    status: 401,
    code: 50027,
    attempt: async (s, i) => {
      await callback(s, i, { type: 5 });
      await s.clock.advance(15 * 60_000 + 1);
      return original(s, i, { content: 'x' });
    },
  },
  {
    rule: 'follow-ups come after the first answer',
    status: 404,
    code: 10015,
    attempt: (s, i) => followUp(s, i, { content: 'x' }),
  },
  {
    rule: 'there is no first message without a response',
    status: 404,
    code: 10015,
    attempt: (s, i) => original(s, i, { content: 'x' }),
  },
  {
    rule: 'a token must be known',
    status: 404,
    code: 10015,
    attempt: (s, i) => followUp(s, { ...i, token: 'other' }, { content: 'x' }),
  },
  {
    rule: 'a deferral takes the ephemeral flag alone',
    ...form,
    field: 'flags',
    attempt: (s, i) => callback(s, i, { type: 5, data: { flags: 4 } }),
  },
  {
    rule: 'a command has no message to update',
    ...form,
    field: 'type',
    attempt: (s, i) => callback(s, i, { type: 7, data: { content: 'x' } }),
  },
  {
    rule: 'a command takes no choices',
    ...form,
    field: 'type',
    attempt: (s, i) => callback(s, i, { type: 8, data: { choices: [] } }),
  },
  {
    rule: 'a reply keeps the rules of messages',
    ...form,
    field: 'content',
    attempt: (s, i) => callback(s, i, { type: 4, data: { content: 'x'.repeat(2001) } }),
  },
  {
    rule: 'files need ATTACH_FILES in the place',
    status: 403,
    code: 50013,
    attempt: async (s) => {
      const i = s.ada.types(s.channel, { name: 'ask', appPermissions: PermissionFlagsBits.ViewChannel });
      await callback(s, i, { type: 5 });
      return original(s, i, undefined, [{ name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') }]);
    },
  },
  {
    rule: "a file keeps the interaction's own limit",
    status: 413,
    code: 40005,
    attempt: async (s) => {
      const i = s.ada.types(s.channel, { name: 'ask', uploadLimit: 100 });
      await callback(s, i, { type: 5 });
      return original(s, i, undefined, [{ name: 'a.txt', type: 'text/plain', bytes: new Uint8Array(101) }]);
    },
  },
  {
    rule: 'a file as large as an interaction states may be refused',
    status: 413,
    code: 40005,
    attempt: async (s) => {
      s.discord.world.readings.statedUploadLimit = 'refused';
      const i = s.ada.types(s.channel, { name: 'ask', uploadLimit: 25 * 1024 ** 2 });
      await callback(s, i, { type: 5 });
      return original(s, i, undefined, [
        { name: 'a.txt', type: 'text/plain', bytes: new Uint8Array(11 * 1024 ** 2) },
      ]);
    },
  },
  {
    rule: 'an ephemeral message cannot be reached by the bot token',
    status: 404,
    code: 10008,
    attempt: async (s, i) => {
      await callback(s, i, { type: 4, data: { content: 'x', flags: 64 } });
      return s.api('PATCH', `/channels/${s.channel.id}/messages/${i.responseMessageId}`, {
        json: { content: 'y' },
      });
    },
  },
  {
    rule: 'at most 25 suggestions',
    ...form,
    field: 'data.choices',
    attempt: (s) =>
      callback(s, s.ada.completes(s.channel, 'ask', 'voice', 'z'), {
        type: 8,
        data: { choices: Array.from({ length: 26 }, (_, n) => ({ name: `${n}`, value: `${n}` })) },
      }),
  },
  {
    rule: 'a suggestion has at most 100 characters',
    ...form,
    field: 'data.choices.0.name',
    attempt: (s) =>
      callback(s, s.ada.completes(s.channel, 'ask', 'voice', 'z'), {
        type: 8,
        data: { choices: [{ name: 'x'.repeat(101), value: 'x' }] },
      }),
  },
  {
    rule: 'suggestions are the only answer to typing',
    ...form,
    field: 'type',
    attempt: (s) =>
      callback(s, s.ada.completes(s.channel, 'ask', 'voice', 'z'), { type: 4, data: { content: 'x' } }),
  },
  {
    rule: 'who is chosen already is a person or a role',
    ...form,
    field: 'components.0.component.default_values.0.type',
    attempt: (s, i) => {
      const chosen = { default_values: [{ id: s.channel.id, type: 'channel' }] };
      return callback(s, i, modal([label({ type: 7, custom_id: 'who', ...chosen })]));
    },
  },
  {
    rule: 'no more are chosen already than may be',
    ...form,
    field: 'components.0.component.default_values',
    attempt: (s, i) => {
      const two = [1, 2].map(() => ({ id: s.ada.user.id, type: 'user' }));
      return callback(s, i, modal([label({ type: 7, custom_id: 'who', default_values: two })]));
    },
  },
  {
    rule: 'a form has a title of at most 45 characters',
    ...form,
    field: 'title',
    attempt: (s, i) => callback(s, i, modal([label(input())], { title: 'x'.repeat(46) })),
  },
  {
    rule: 'a form has 1 to 5 parts',
    ...form,
    field: 'components',
    attempt: (s, i) => callback(s, i, modal(Array.from({ length: 6 }, (_, n) => label(input(`p${n}`))))),
  },
  {
    rule: 'a form holds labels',
    ...form,
    field: 'components.0.type',
    attempt: (s, i) => callback(s, i, modal([{ type: 1, components: [input()] }])),
  },
  {
    rule: 'a label has at most 45 characters',
    ...form,
    field: 'components.0.label',
    attempt: (s, i) => callback(s, i, modal([label(input(), { label: 'x'.repeat(46) })])),
  },
  {
    rule: 'no two inputs of a form have the same id',
    ...form,
    field: 'components.1.component.custom_id',
    attempt: (s, i) => callback(s, i, modal([label(input('same')), label(input('same'))])),
  },
  {
    rule: 'a form may take no radio buttons',
    ...form,
    field: 'components.0.component.type',
    attempt: (s, i) => {
      s.discord.world.readings.formBoxes = 'refused';
      const options = ['a', 'b'].map((value) => ({ label: value, value }));
      return callback(s, i, modal([label({ type: 21, custom_id: 'o', options })]));
    },
  },
  {
    rule: 'no form on a form',
    ...form,
    field: 'type',
    attempt: async (s, i) => {
      await callback(s, i, modal([label(input())]));
      return callback(s, s.ada.submits(i, { prompt: 'x' }), modal([label(input())]));
    },
  },
  ...wrongParts.map(([rule, field, component]): Row => {
    const attempt: Row['attempt'] = (s, i) => callback(s, i, modal([label(component)]));
    return { rule, ...form, field: `components.0.component.${field}`, attempt };
  }),
];

describe('interactions: what breaks a rule is refused', () => {
  it.each(rules)('$rule', async ({ attempt, ...refusal }) => {
    const { scene, interaction } = await typed();
    expectRefused(scene, await attempt(scene, interaction), refusal);
  });

  it('a user-installed app has five follow-ups, and no bot routes', async () => {
    const { scene } = await typed();
    const elsewhere = scene.discord.world.addGuild({
      name: 'Else',
      owner: scene.ada.user,
      permissions: PermissionFlagsBits.ViewChannel,
      hasBot: false,
    });
    const channel = scene.discord.world.addChannel(elsewhere, 'there');
    const interaction = scene.ada.types(channel, { name: 'ask' });
    await callback(scene, interaction, { type: 4, data: { content: 'x' } });
    const codes: unknown[] = [];
    for (let index = 0; index < 6; index++) {
      await scene.clock.advance(2000);
      codes.push((await followUp(scene, interaction, { content: 'x' })).body.code);
    }
    expect(codes).toEqual([undefined, undefined, undefined, undefined, undefined, 40094]);
    expect(
      (await scene.api('POST', `/channels/${channel.id}/messages`, { json: { content: 'x' } })).body.code,
    ).toBe(50001);
  });
});

describe('interactions in an archived thread (topics/threads, active & archived threads)', () => {
  const inThread = async () => {
    const { scene } = await typed();
    const { ada, channel, discord } = scene;
    const { id } = ada.writes(channel, 'a talk');
    const thread = discord.threads.open(channel, id, { name: 'A talk' });
    const interaction = ada.types(thread, { name: 'ask' });
    await callback(scene, interaction, { type: 4, data: { content: 'x' } });
    ada.closes(thread);
    return { scene, interaction, thread };
  };

  it('their messages take no edits', async () => {
    const { scene, interaction } = await inThread();
    const edited = await original(scene, interaction, { content: 'y' });
    expectRefused(scene, edited, { status: 400, code: 50083 });
  });

  it('a further one unarchives it, unless too many are active', async () => {
    const { scene, interaction, thread } = await inThread();
    scene.guild.mostActiveThreads = 0;
    const refused = await followUp(scene, interaction, { content: 'y' });
    expectRefused(scene, refused, { status: 400, code: 160006 });
    scene.guild.mostActiveThreads = 1;
    expect((await followUp(scene, interaction, { content: 'y' })).status).toBe(200);
    expect(thread.thread?.archived).toBe(false);
  });
});

describe('interactions: what Discord does with good answers', () => {
  it('fixes at the deferral who sees the reply', async () => {
    const { scene, interaction } = await typed();
    await callback(scene, interaction, { type: 5, data: { flags: 64 } });
    await original(scene, interaction, { content: 'private' });
    expect(scene.discord.messagesIn(scene.channel)).toEqual([]);
    expect(scene.discord.messagesIn(scene.channel, { ephemeral: true })[0]?.onlyFor).toBe(scene.ada.user.id);
  });

  it.each([
    ['shown to others', PermissionFlagsBits.UseExternalApps, 0],
    ['hidden from others without Use External Apps', 0n, 64],
  ])('what a user-installed app answers is %s', async (_, permissions, flags) => {
    const { scene } = await typed();
    const { world } = scene.discord;
    const owner = world.addUser('owner');
    const elsewhere = world.addGuild({ name: 'Else', owner, permissions, hasBot: false });
    world.addMember(elsewhere, scene.ada.user);
    const interaction = scene.ada.types(world.addChannel(elsewhere, 'there'), { name: 'ask' });
    await callback(scene, interaction, { type: 4, data: { content: 'x' } });
    expect((await followUp(scene, interaction, { content: 'x' })).body).toMatchObject({ flags });
  });

  it.each([
    ['works', 200, 64],
    ['refused', 404, undefined],
  ] as const)(
    'a follow-up after the loading message was deleted is one of its own: %s',
    async (reading, status, flags) => {
      const { scene, interaction } = await typed();
      scene.discord.world.readings.followUpAfterRemoval = reading;
      await callback(scene, interaction, { type: 5 });
      const { applicationId } = scene.discord.world;
      await scene.api('DELETE', `/webhooks/${applicationId}/${interaction.token}/messages/@original`);
      const answer = await followUp(scene, interaction, { content: 'private', flags: 64 });
      expect(answer).toMatchObject({ status, body: { ...(flags ? { flags } : { code: 10008 }) } });
    },
  );

  it('has form errors without a code by tokens only', async () => {
    const { scene, interaction } = await typed();
    scene.discord.world.readings.codedFormErrors = 'refused';
    await callback(scene, interaction, { type: 5 });
    const json = { components: [{ type: 99 }] };
    const { body } = await followUp(scene, interaction, json);
    expect(body).toEqual({ components: ['0'] });
    const posted = await scene.api('POST', `/channels/${scene.channel.id}/messages`, { json });
    expect(posted.body.code).toBe(50035);
  });

  it('settles a deferred reply by the first follow-up, whatever its flag', async () => {
    const { scene, interaction } = await typed();
    await callback(scene, interaction, { type: 5 });
    await followUp(scene, interaction, { content: 'meant to be private', flags: 64 });
    expect(scene.discord.messagesIn(scene.channel).map((message) => message.content)).toEqual([
      'meant to be private',
    ]);
  });

  it('tells the message of the first answer when asked for it', async () => {
    const { scene, interaction } = await typed();
    const answered = await callback(scene, interaction, { type: 5 }, '?with_response=true');
    expect(answered.body.interaction).toMatchObject({ response_message_id: interaction.responseMessageId });
    expect(scene.discord.journal.violations).toEqual([]);
  });
});
