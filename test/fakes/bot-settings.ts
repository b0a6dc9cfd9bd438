import type { BotDependencies } from '../../src/app/bot.ts';
import { chatModels } from '../../src/service-rules/models.ts';
import { knownVoices } from '../../src/service-rules/voices.ts';

/** Settings of a bot without budgets, which asks nobody before it spends up to 500 credits. */
export const botSettings: BotDependencies['settings'] = {
  operators: [],
  chatModel: chatModels[0],
  voice: knownVoices[0]?.id ?? '',
  systemPrompt: 'You are a test.',
  historyTokens: 16_000,
  historyDays: 30,
  budgets: { user: 0, channel: 0, workspace: 0, total: 0 },
  rendersPerPerson: 4,
  confirmOver: 500,
};
