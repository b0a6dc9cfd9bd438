import { pages } from '../../../src/app/presenters/settings-pages.ts';
import type { DiscordScene } from '../stage/scene.ts';

export const discordSettings: DiscordScene = {
  name: 'discord-settings',
  shows: { en: ['@Ada, @artists'], 'zh-CN': ['@小雅, @画师'] },
  async play(place) {
    const { ada, ben, channel, discord, guild, owner } = place;
    const role = discord.world.addRole(guild, place.in({ en: 'artists', 'zh-CN': '画师' }), 0n);
    discord.events.guildCreated(guild);
    owner.types(channel, { name: 'settings', sub: 'overview', options: { scope: 'workspace' } });
    const people = place.in(pages.people.title);
    const page = await place.withButton(people);
    const opened = {
      en: 'The owner opens the server’s settings and chooses who can use what.',
      'zh-CN': '服主打开服务器设置，选择谁能用什么。',
    };
    const pressed = owner.presses(page, people);
    const entered = { users_imagine: [ada.user.id, role.id] };
    const form = await place.form(opened, pressed, entered);
    owner.submits(pressed, entered);
    await place.message('the change', ({ content }) => content.includes(ada.user.id));
    const prompt = place.in({ en: 'a boat', 'zh-CN': '一条船' });
    const typed = ben.types(channel, { name: 'imagine', options: { prompt } });
    const refusal = await place.message('the refusal', ({ id }) => id === typed.responseMessageId);
    const after = { en: 'Ben isn’t among them.', 'zh-CN': '阿本不在其中。' };
    return [form, place.look(after, { as: ben, messages: [refusal] })];
  },
};
