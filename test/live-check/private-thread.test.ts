import { expect, it } from 'vitest';
import { adaHelps, discordStage } from './discord-stage.ts';

it('finds that a private thread without the bot takes nothing but the answer to the command', async () => {
  const stage = await discordStage();
  const { results } = await stage.run({ helper: adaHelps(stage) });
  expect(results['command in a private thread without the bot']).toBe('refused: refused: 50001');
  expect(stage.discord.commands.list(stage.guild.id)).toEqual([]);
});
