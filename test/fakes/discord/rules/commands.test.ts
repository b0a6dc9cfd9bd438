import { describe, expect, it } from 'vitest';
import { type Answered, names, type Scene, startScene } from './scene.ts';

const option = (name: string, more: object = {}) => ({ type: 3, name, description: 'What', ...more });
/** 2,000 characters and more. */
const long = Array.from({ length: 20 }, (_, index) => option(`o${index}`, { description: 'x'.repeat(100) }));
const sub = (name: string, options: readonly object[] = []) => option(name, { type: 1, options });
const command = (more: object = {}) => ({ name: 'ask', description: 'Ask', ...more });

function register(scene: Scene, ...commands: object[]): Promise<Answered> {
  return scene.api('PUT', `/applications/${scene.discord.world.applicationId}/commands`, { json: commands });
}

/** Rules of interactions/application-commands; every one is a form error that names the field. */
const rules: readonly (readonly [rule: string, field: string, commands: readonly object[]])[] = [
  ['a name has letters of one case', '0.name', [command({ name: 'Ask' })]],
  ['a name has no spaces', '0.name', [command({ name: 'ask me' })]],
  ['a name has at most 32 characters', '0.name', [command({ name: 'a'.repeat(33) })]],
  ['each name stands once', '1', [command(), command()]],
  ['a message command has no description', '0.description', [command({ type: 3 })]],
  [
    'a message command has no options',
    '0.options',
    [{ type: 3, name: 'Ask about this', options: [option('a')] }],
  ],
  [
    'at most 15 message commands',
    '',
    Array.from({ length: 16 }, (_, index) => ({ type: 3, name: `Ask ${index}` })),
  ],
  [
    'at most 15 user commands',
    '',
    Array.from({ length: 16 }, (_, index) => ({ type: 2, name: `Ask ${index}` })),
  ],
  ['a description is there', '0.description', [command({ description: '' })]],
  ['a description has at most 100 characters', '0.description', [command({ description: 'x'.repeat(101) })]],
  [
    'at most 25 options',
    '0.options',
    [command({ options: Array.from({ length: 26 }, (_, i) => option(`o${i}`)) })],
  ],
  [
    'at most 25 options of a sub-command',
    '0.options.0.options',
    [
      command({
        options: [
          sub(
            'one',
            Array.from({ length: 26 }, (_, i) => option(`o${i}`)),
          ),
        ],
      }),
    ],
  ],
  [
    'sub-commands stand among no other options',
    '0.options',
    [command({ options: [sub('one'), option('a')] })],
  ],
  [
    'a sub-command has none of its own',
    '0.options.0.options.0.type',
    [command({ options: [sub('one', [sub('two')])] })],
  ],
  [
    'a sub-command’s options count to the 8,000 characters',
    '0',
    [command({ options: Array.from({ length: 4 }, (_, i) => sub(`s${i}`, long)) })],
  ],
  [
    'an attachment takes at most 10 types of files',
    '0.options.0.file_types',
    [
      command({
        options: [option('a', { type: 11, file_types: Array.from({ length: 11 }, (_, i) => `.a${i}`) })],
      }),
    ],
  ],
  [
    'a type of files is a group or an ending with its dot',
    '0.options.0.file_types.1',
    [command({ options: [option('a', { type: 11, file_types: ['image', 'png'] })] })],
  ],
  [
    'only attachments have types of files',
    '0.options.0',
    [command({ options: [option('a', { file_types: ['image'] })] })],
  ],
  ['each option name stands once', '0.options.1.name', [command({ options: [option('a'), option('a')] })]],
  [
    'a translated option name is no other’s name',
    '0.options.0.name_localizations.zh-CN',
    [command({ options: [option('a', { name_localizations: { 'zh-CN': 'b' } }), option('b')] })],
  ],
  [
    'each translated option name stands once in its language',
    '0.options.0.name_localizations.zh-CN',
    [command({ options: ['a', 'b'].map((name) => option(name, { name_localizations: { 'zh-CN': '图' } })) })],
  ],
  [
    'required options come first',
    '0.options.1',
    [command({ options: [option('a'), option('b', { required: true })] })],
  ],
  [
    'at most 25 choices',
    '0.options.0.choices',
    [
      command({
        options: [
          option('a', { choices: Array.from({ length: 26 }, (_, i) => ({ name: `${i}`, value: `${i}` })) }),
        ],
      }),
    ],
  ],
  [
    'a choice name has at most 100 characters',
    '0.options.0.choices.0.name',
    [command({ options: [option('a', { choices: [{ name: 'x'.repeat(101), value: 'x' }] })] })],
  ],
  [
    'each choice name stands once',
    '0.options.0.choices.1.name',
    [
      command({
        options: [
          option('a', {
            choices: [
              { name: 'x', value: '1' },
              { name: 'x', value: '2' },
            ],
          }),
        ],
      }),
    ],
  ],
  [
    'choices and autocomplete exclude each other',
    '0.options.0.autocomplete',
    [command({ options: [option('a', { autocomplete: true, choices: [{ name: 'x', value: 'x' }] })] })],
  ],
  [
    'only texts and numbers have choices',
    '0.options.0',
    [command({ options: [option('a', { type: 5, choices: [{ name: 'x', value: 'x' }] })] })],
  ],
  [
    'only texts have lengths',
    '0.options.0',
    [command({ options: [option('a', { type: 4, max_length: 5 })] })],
  ],
  ['only numbers have ranges', '0.options.0', [command({ options: [option('a', { max_value: 5 })] })]],
  [
    'a length is at most 6,000',
    '0.options.0.max_length',
    [command({ options: [option('a', { max_length: 6001 })] })],
  ],
  [
    'localised descriptions have at most 100 characters',
    '0.description_localizations.zh-CN',
    [command({ description_localizations: { 'zh-CN': '问'.repeat(101) } })],
  ],
  [
    'languages are those of Discord',
    '0.description_localizations.zh',
    [command({ description_localizations: { zh: '问' } })],
  ],
  [
    'localised names keep the rules of names',
    '0.name_localizations.zh-CN',
    [command({ name_localizations: { 'zh-CN': '问 题' } })],
  ],
  ['contexts are 0, 1 or 2', '0.contexts', [command({ contexts: [3] })]],
  ['integration types are 0 or 1', '0.integration_types', [command({ integration_types: [] })]],
  [
    'at most 8,000 characters in all',
    '0',
    [
      command({
        options: Array.from({ length: 4 }, (_, i) =>
          option(`o${i}`, {
            choices: Array.from({ length: 25 }, (_, j) => ({
              name: `${j}`.padStart(50, 'n'),
              value: 'v'.repeat(40),
            })),
          }),
        ),
      }),
    ],
  ],
];

describe('commands: a registration that breaks a rule is refused', () => {
  it.each(rules)('%s', async (_, field, commands) => {
    const scene = await startScene();
    const answered = await register(scene, ...commands);
    expect({ status: answered.status, code: answered.body.code }).toEqual({ status: 400, code: 50035 });
    expect(names(answered.body.errors, field), JSON.stringify(answered.body.errors)).toBe(true);
  });

  it('at most 100 commands', async () => {
    const scene = await startScene();
    const many = Array.from({ length: 101 }, (_, index) => command({ name: `c${index}` }));
    expect((await register(scene, ...many)).status).toBe(400);
  });

  it('at most 200 new commands a day', async () => {
    const scene = await startScene();
    const hundred = (prefix: string) =>
      Array.from({ length: 100 }, (_, index) => command({ name: `${prefix}${index}` }));
    await register(scene, ...hundred('a'));
    await register(scene, ...hundred('b'));
    expect((await register(scene, command({ name: 'one' }))).body.code).toBe(30034);
  });

  it('the Entry Point command of an application with Activities isn’t left out', async () => {
    const scene = await startScene();
    const launch = command({ name: 'launch', type: 4, handler: 2 });
    await scene.api('POST', `/applications/${scene.discord.world.applicationId}/commands`, { json: launch });
    expect((await register(scene, command())).body.code).toBe(50240);
    expect((await register(scene, command(), launch)).status).toBe(200);
  });

  it("a server's commands only where the bot is a member", async () => {
    const scene = await startScene();
    const elsewhere = scene.discord.world.addGuild({
      name: 'Else',
      owner: scene.ada.user,
      permissions: 0n,
      hasBot: false,
    });
    const path = `/applications/${scene.discord.world.applicationId}/guilds/${elsewhere.id}/commands`;
    expect((await scene.api('PUT', path, { json: [] })).body.code).toBe(50001);
  });
});

describe('commands: good ones', () => {
  it('keep their ids when they are registered again', async () => {
    const scene = await startScene();
    const first = (await register(scene, command())).body as unknown as { id: string }[];
    const second = (await register(scene, command({ description: 'New' }))).body as unknown as {
      id: string;
    }[];
    expect(second[0]?.id).toBe(first[0]?.id);
    expect(scene.discord.journal.violations).toEqual([]);
  });

  it('of a menu may have capitals, spaces and the name of another kind', async () => {
    const scene = await startScene();
    const menus = [
      { type: 3, name: 'Ask about this' },
      { type: 2, name: 'Ask about this' },
    ];
    const ids = ({ body }: Answered) => (body as unknown as { id: string }[]).map(({ id }) => id);
    const first = await register(scene, command(), ...menus);
    expect(first.status).toBe(200);
    expect(ids(await register(scene, ...menus, command()))).toEqual([...ids(first).slice(1), ids(first)[0]]);
    expect(scene.discord.journal.violations).toEqual([]);
  });

  it('let people choose only files of their types, by their names', async () => {
    const scene = await startScene();
    await register(scene, command({ options: [option('a', { type: 11, file_types: ['image', '.HEIC'] })] }));
    const give = (name: string) => {
      const a = { name, contentType: 'image/heic', bytes: Buffer.from('x') };
      return () => scene.ada.types(scene.ada.direct(), { name: 'ask', options: { a } });
    };
    expect(give('a.heic.txt')).toThrow('takes no');
    expect(give('A.JPG')).not.toThrow();
    expect(give('a.heic')).not.toThrow();
  });

  it('are offered only in their contexts', async () => {
    const scene = await startScene();
    await register(scene, command({ contexts: [0] }));
    expect(() => scene.ada.types(scene.ada.direct(), { name: 'ask' })).toThrow(/not offered/);
  });

  it('are offered as Integrations say: for the command before the app, a channel and a person each', async () => {
    const { guild, channel, discord, ada, ...scene } = await startScene();
    await register({ guild, channel, discord, ada, ...scene }, command(), command({ name: 'notecards' }));
    const { world } = discord;
    const zone = world.addChannel(guild, 'study-zone');
    const help = world.addChannel(guild, 'flashcard-help');
    const [leads, buddies] = [world.addRole(guild, 'Leads', 0n), world.addRole(guild, 'Buddies', 0n)];
    const [lead, buddy] = [discord.addPerson(guild, 'lead'), discord.addPerson(guild, 'buddy')];
    guild.members.get(lead.user.id)!.roles.push(leads.id);
    guild.members.get(buddy.user.id)!.roles.push(buddies.id);
    // The example in Discord’s help center: “Updates to Command Permissions”.
    discord.permit(guild, undefined, [
      { id: guild.id, type: 1, permission: false },
      { id: leads.id, type: 1, permission: true },
      { id: String(BigInt(guild.id) - 1n), type: 3, permission: false },
      { id: zone.id, type: 3, permission: true },
    ]);
    discord.permit(guild, 'notecards', [
      { id: buddies.id, type: 1, permission: true },
      { id: help.id, type: 3, permission: true },
    ]);
    const offered = [ada, lead, buddy].map((person) =>
      ['ask', 'notecards'].map((name) =>
        [channel, zone, help].map((place) => {
          try {
            return Boolean(person.types(place, { name }));
          } catch {
            return false;
          }
        }),
      ),
    );
    const nowhere = [false, false, false];
    expect(offered).toEqual([
      [nowhere, nowhere],
      [
        [false, true, false],
        [false, true, true],
      ],
      [nowhere, [false, true, true]],
    ]);
    const path = `/applications/${world.applicationId}/guilds/${guild.id}/commands/permissions`;
    const { body } = await scene.api('GET', path);
    expect(body).toMatchObject([{ id: world.applicationId, guild_id: guild.id }, { guild_id: guild.id }]);
    expect(discord.journal.violations).toEqual([]);
  });
});
