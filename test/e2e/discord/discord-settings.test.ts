import { Locale, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { type Fields, objectsAt } from '../../fakes/discord/http/fields.ts';
import type { Interaction } from '../../fakes/discord/index.ts';
import { type DiscordScene, labelsOf, page, startDiscordScene } from '../support/discord-scene.ts';

/** The owner of the server, who may change its settings. */
const ownerOf = ({ discord, guild }: DiscordScene) => discord.person(discord.world.user(guild.ownerId));

const inputs = (opened: Interaction) =>
  objectsAt(opened.modal as Fields, 'components').map((label) => ({
    ...(label.component as Fields & { type: number; custom_id: string; default_values?: unknown }),
    label: label.label,
  }));

describe('the settings of a server as forms', () => {
  it('who may use what: people and roles are selected, and shown the next time', async () => {
    const scene = await startDiscordScene();
    const owner = ownerOf(scene);
    const role = scene.discord.world.addRole(scene.guild, 'artists', 0n);
    scene.discord.events.roleCreated(scene.guild, role);
    owner.types(scene.channel, { name: 'settings', sub: 'overview', options: { scope: 'workspace' } });
    const opens = async () => {
      const pressed = await scene.discord.opened(
        owner.presses(await page(scene, 'Who can use what'), 'Who can use what'),
      );
      return pressed;
    };
    const first = await opens();
    expect(inputs(first).map(({ type, label }) => [type, label])).toEqual([
      ...['ask', 'speak', 'imagine', 'video'].map((name) => [7, `Who can use /${name}`]),
      [7, 'Who can’t use me'],
    ]);
    owner.submits(first, { users_imagine: [scene.ada.user.id, role.id] });
    await scene.discord.until('the change', () =>
      scene.discord
        .messagesIn(scene.channel, { ephemeral: true })
        .some(({ content }) => content.includes(`users_imagine\`: <@${scene.ada.user.id}> <@&${role.id}> (`)),
    );
    const second = await opens();
    expect(inputs(second)[2]?.default_values).toEqual([
      { id: scene.ada.user.id, type: 'user' },
      { id: role.id, type: 'role' },
    ]);
    const refused = scene.bob.types(scene.channel, { name: 'imagine', options: { prompt: 'a boat' } });
    await scene.discord.until('the refusal', () => refused.responseMessageId);
    expect(scene.said()).toEqual([]);
    scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a boat' } });
    await scene.withFile();
    owner.submits(second, { users_imagine: [] });
    await scene.discord.until('everybody', () =>
      scene.discord
        .messagesIn(scene.channel, { ephemeral: true })
        .some((message) => message.content.includes('users_imagine`: everyone')),
    );
  });

  it('a channel that’s open to everyone where the server isn’t stays so when its form is sent unchanged', async () => {
    const scene = await startDiscordScene();
    const owner = ownerOf(scene);
    const { ada, bob, channel, discord, rests, said } = scene;
    const set = (scope: string, ask: string) =>
      owner.types(channel, { name: 'settings', sub: 'people', options: { scope, users_ask: ask } });
    set('workspace', `<@${ada.user.id}>`);
    await rests();
    set('channel', 'none');
    await rests();
    const form = await discord.opened(owner.presses(await page(scene, 'Change'), 'Change'));
    owner.submits(form, {});
    await rests();
    bob.types(channel, { name: 'ask', options: { prompt: 'repeat: open' } });
    await rests();
    expect(said().map(({ content }) => content)).toEqual([expect.stringContaining('open')]);
  });

  it('a refusal takes the place of what its one reader sees: a death in between would leave them with nothing', async () => {
    const scene = await startDiscordScene();
    const { channel, discord, rests } = scene;
    const owner = ownerOf(scene);
    const options = { scope: 'workspace', audit_channel: '100000000000000001' };
    const given = owner.types(channel, { name: 'settings', sub: 'moderation', options });
    await rests();
    const [told] = discord.aside(channel, owner);
    expect(told?.content).toContain('I can’t find that channel here');
    expect(told?.id).toBe(given.responseMessageId);
    expect(discord.journal.requests.filter(({ route }) => route.startsWith('DELETE'))).toEqual([]);
  });

  it('two administrators at once: a form changes what was changed in it, and a switch does what it says', async () => {
    const scene = await startDiscordScene();
    const { ada: keeper, channel, discord, guild, rests, until } = scene;
    const owner = ownerOf(scene);
    const role = discord.world.addRole(guild, 'keepers', PermissionFlagsBits.ManageGuild);
    discord.events.roleCreated(guild, role);
    guild.members.get(keeper.user.id)!.roles.push(role.id);
    const shown = (person: typeof owner) => discord.aside(channel, person).at(-1)!;
    const opens = async (person: typeof owner, sub: string) => {
      person.types(channel, { name: 'settings', sub, options: { scope: 'workspace' } });
      await rests();
      return shown(person);
    };
    const forms = [];
    for (const person of [owner, keeper]) {
      const opened = person.presses(await opens(person, 'budgets'), 'Change');
      forms.push(await discord.opened(opened));
    }
    keeper.submits(forms[1]!, { user_credits: '200' });
    await until('the first', () => shown(keeper).content.includes('`user_credits`: `200`'));
    owner.submits(forms[0]!, { channel_credits: '500' });
    await until('the second', () => shown(owner).content.includes('`channel_credits`: `500`'));
    expect(shown(owner).content).toContain('✅ Changed: `channel_credits`\n');
    expect(shown(owner).content).toContain('- `user_credits`: `200` (the server)');
    const pages = [await opens(owner, 'commands'), await opens(keeper, 'commands')];
    for (const [index, person] of [owner, keeper].entries()) {
      person.presses(pages[index]!, '✓ /video');
      await rests();
      expect(labelsOf(pages[index])).toContain('✗ /video');
    }
  });

  it('two administrators at once: a persona’s form changes what was changed in it, too', async () => {
    const scene = await startDiscordScene();
    const { channel, discord, rests, until } = scene;
    const owner = ownerOf(scene);
    const shown = () => discord.aside(channel, owner).at(-1)!;
    const set = (options: Record<string, string>) =>
      owner.types(channel, { name: 'settings', sub: 'personas', options });
    set({ name: 'Ada', prompt: 'You are Ada.' });
    await until('the persona', () => shown().content.includes('✅ Saved'));
    const page = shown();
    const forms = [await discord.opened(owner.presses(page, 'Edit'))];
    forms.push(await discord.opened(owner.presses(page, 'Edit')));
    await rests();
    owner.submits(forms[0]!, { prompt: 'You are the Countess of Lovelace.' });
    await until('the first', () => shown().content.includes('Countess'));
    owner.submits(forms[1]!, { image_size: '4k' });
    await until('the second', () => shown().content.includes('4k'));
    expect(shown().content).toContain('- `Ada` · `4k` · `You are the Countess of Lovelace.`');
  });

  it('a role is named in a text by its name, as people see it: a text in a form mentions nobody', async () => {
    const scene = await startDiscordScene();
    const { channel, discord, guild, rests } = scene;
    const owner = ownerOf(scene);
    const [gold, artists] = ['Gold Members', 'Artists'].map((name) => {
      const role = discord.world.addRole(guild, name, 0n);
      discord.events.roleCreated(guild, role);
      return role;
    });
    owner.types(channel, { name: 'settings', sub: 'limits', options: { scope: 'workspace' } });
    const form = await discord.opened(owner.presses(await page(scene, 'Change'), 'Change'));
    owner.submits(form, { role_credits: '@gold members=300, @Artists=500' });
    await rests();
    const told = discord.aside(channel, owner).at(-1)?.content;
    expect(told).toContain(`<@&${gold?.id}> 300, <@&${artists?.id}> 500`);
    discord.events.roleDeleted(guild, gold!);
    owner.types(channel, { name: 'settings', sub: 'limits', options: { scope: 'workspace' } });
    await rests();
    // Discord shows it as a deleted role, and not as an unknown user.
    expect(discord.aside(channel, owner).at(-1)?.content).toContain(`<@&${gold?.id}> 300`);
  });

  it('are typed and shown under names that say server, in errors and the history, too', async () => {
    const scene = await startDiscordScene();
    const owner = ownerOf(scene);
    const told = async (options: Record<string, string>, count: number) => {
      owner.types(scene.channel, { name: 'settings', sub: 'budgets', options });
      const answers = () =>
        scene.discord
          .messagesIn(scene.channel, { ephemeral: true })
          .filter(({ content, interactionId }) => content !== '' && interactionId !== undefined);
      await scene.discord.until('the answer', () => answers().length === count);
      return answers().at(-1)?.content ?? '';
    };
    const changed = await told({ scope: 'workspace', server_credits: '500' }, 1);
    expect(changed).toContain('✅ Changed: `server_credits`');
    expect(changed).toContain('- `server_credits`: `500` (the server)');
    expect(await told({ server_credits: 'much' }, 2)).toContain('`server_credits` can’t be “much”.');
    owner.presses(await page(scene, 'Back'), 'Back');
    owner.presses(await page(scene, 'History'), 'History');
    const history = await scene.discord.told(scene.channel, 'Change history');
    expect(history.content).toContain('`server_credits` not set → `500` (the server)');
    owner.types(scene.channel, { name: 'help', options: { command: 'settings' } });
    const help = await scene.discord.told(
      scene.channel,
      '- `server_credits`: Daily credits for this whole server',
    );
    expect(help.content).not.toContain('workspace');
    const typing = owner.completes(scene.channel, ['settings', 'media'], 'voice', 'tim');
    const [voice] = await scene.discord.until('suggestions', () => typing.choices);
    expect(voice).toMatchObject({ value: 'en_male_tim_uranus_bigtts' });
  });

  it('say server in each language, with radio buttons for choices', async () => {
    const scene = await startDiscordScene();
    const owner = ownerOf(scene);
    owner.user.locale = Locale.ChineseCN;
    owner.types(scene.channel, { name: 'settings', sub: 'overview', options: { scope: 'workspace' } });
    const settings = await page(scene, '预算');
    expect(settings.content).toContain('服务器');
    expect(settings.content).not.toContain('工作区');
    const pressed = await scene.discord.opened(owner.presses(settings, '预算'));
    const budgets = inputs(pressed);
    expect(budgets.map(({ label }) => label)).toContain('服务器每日积分');
    expect(budgets.find(({ custom_id }) => custom_id === 'exempt_administrators')?.type).toBe(21);
    owner.submits(pressed, { exempt_administrators: 'on' });
    await scene.discord.until('the change', () =>
      scene.discord
        .messagesIn(scene.channel, { ephemeral: true })
        .some((message) => message.content.includes('✅')),
    );
    const registered = JSON.stringify(scene.discord.commands.list('global')).replaceAll(
      '"value":"workspace"',
      '',
    );
    expect(registered).not.toMatch(/workspace|工作区|讨论串|消息列/);
    expect(registered).toContain('"name_localizations":{"zh-CN":"服务器","zh-TW":"服务器"}');
  });
});
