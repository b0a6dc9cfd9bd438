import { chatModels } from '../../../src/service-rules/models.ts';
import { validateChat } from '../../../src/service/index.ts';
import { ask } from '../support/helpers.ts';
import { type Row, showRules } from './rows.ts';

const chat: Row[] = [
  {
    rule: 'model is required',
    keeps: {},
    breaks: { model: undefined },
    fault: { field: 'model', code: 'required' },
  },
  {
    rule: 'model is svc-llm-1.5 or svc-llm-1.5-pro',
    keeps: { model: 'svc-llm-1.5-pro' },
    breaks: { model: 'svc-llm-2' },
    fault: { field: 'model', code: 'choice', allowed: chatModels, given: 'svc-llm-2' },
  },
  {
    rule: 'messages are required',
    keeps: {},
    breaks: { messages: undefined },
    fault: { field: 'messages', code: 'required' },
  },
  {
    rule: 'messages are an array',
    keeps: {},
    breaks: { messages: 'hello' },
    fault: { field: 'messages', code: 'type', allowed: ['array'], given: 'string' },
  },
  {
    rule: 'there is a message',
    keeps: {},
    breaks: { messages: [] },
    fault: { field: 'messages', code: 'required' },
  },
  {
    rule: 'a message is an object',
    keeps: {},
    breaks: { messages: [...ask.messages, null] },
    fault: { field: 'messages[1]', code: 'type', allowed: ['object'], given: 'null' },
  },
  {
    rule: 'a message has a role',
    keeps: { messages: [{ role: 'any', content: 'x' }] },
    breaks: { messages: [{ content: 'x' }] },
    fault: { field: 'messages[0].role', code: 'required' },
  },
  {
    rule: 'a role is a string',
    keeps: {},
    breaks: { messages: [{ role: 1, content: 'x' }] },
    fault: { field: 'messages[0].role', code: 'type', allowed: ['string'], given: 'number' },
  },
  {
    rule: 'a message has content',
    keeps: { messages: [{ role: 'user', content: '' }] },
    breaks: { messages: [{ role: 'user' }] },
    fault: { field: 'messages[0].content', code: 'required' },
  },
  {
    rule: 'content is a string',
    keeps: {},
    breaks: { messages: [{ role: 'user', content: ['x'] }] },
    fault: { field: 'messages[0].content', code: 'type', allowed: ['string'], given: 'array' },
  },
  {
    rule: 'a message has nothing else',
    keeps: {},
    breaks: { messages: [{ role: 'user', content: 'x', name: 'y' }] },
    fault: { field: 'messages[0].name', code: 'unknown-field' },
  },
  {
    rule: 'there is no other field',
    keeps: {},
    breaks: { temperature: 1 },
    fault: { field: 'temperature', code: 'unknown-field' },
  },
];

showRules('chat', validateChat, ask, chat);
