import { chatModels } from '../../../src/service-rules/models.ts';
import { validateChat } from '../../../src/service/index.ts';
import { ask } from '../support/helpers.ts';
import { type Row, showRules } from './rows.ts';

const chat: Row[] = [
  ['model is required', {}, { model: undefined }, { field: 'model', code: 'required' }],
  [
    'model is svc-llm-1.5 or svc-llm-1.5-pro',
    { model: 'svc-llm-1.5-pro' },
    { model: 'svc-llm-2' },
    { field: 'model', code: 'choice', allowed: chatModels, given: 'svc-llm-2' },
  ],
  ['messages are required', {}, { messages: undefined }, { field: 'messages', code: 'required' }],
  [
    'messages are an array',
    {},
    { messages: 'hello' },
    { field: 'messages', code: 'type', allowed: ['array'], given: 'string' },
  ],
  ['there is a message', {}, { messages: [] }, { field: 'messages', code: 'required' }],
  [
    'a message is an object',
    {},
    { messages: [...ask.messages, null] },
    { field: 'messages[1]', code: 'type', allowed: ['object'], given: 'null' },
  ],
  [
    'a message has a role',
    { messages: [{ role: 'any', content: 'x' }] },
    { messages: [{ content: 'x' }] },
    { field: 'messages[0].role', code: 'required' },
  ],
  [
    'a role is a string',
    {},
    { messages: [{ role: 1, content: 'x' }] },
    { field: 'messages[0].role', code: 'type', allowed: ['string'], given: 'number' },
  ],
  [
    'a message has content',
    { messages: [{ role: 'user', content: '' }] },
    { messages: [{ role: 'user' }] },
    { field: 'messages[0].content', code: 'required' },
  ],
  [
    'content is a string',
    {},
    { messages: [{ role: 'user', content: ['x'] }] },
    { field: 'messages[0].content', code: 'type', allowed: ['string'], given: 'array' },
  ],
  [
    'a message has nothing else',
    {},
    { messages: [{ role: 'user', content: 'x', name: 'y' }] },
    { field: 'messages[0].name', code: 'unknown-field' },
  ],
  ['there is no other field', {}, { temperature: 1 }, { field: 'temperature', code: 'unknown-field' }],
];

showRules('chat', validateChat, ask, chat);
