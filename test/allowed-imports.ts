/**
 * Which part may import which. Every part may import itself and what is `everywhere`; what is not listed is
 * not allowed.
 */
export const allowed: Record<string, readonly string[]> = {
  'service-rules': [],
  lib: [],
  secrets: [],
  config: [],
  reply: [],
  service: [],
  http: [],
  media: [],
  ops: ['http'],
  port: ['reply'],
  words: ['port'],
  engine: ['port', 'place-settings', 'reply', 'words'],
  store: ['port'],
  coordination: ['store'],
  conversation: ['coordination', 'reply', 'store'],
  credits: ['port', 'store', 'service', 'media'],
  'place-settings': ['port', 'store'],
  deliveries: ['port', 'engine', 'reply', 'store', 'coordination', 'words'],
  renders: ['port', 'engine', 'service', 'store', 'credits', 'coordination', 'media', 'words'],
  app: [
    'port',
    'engine',
    'coordination',
    'service',
    'conversation',
    'renders',
    'deliveries',
    'credits',
    'place-settings',
    'words',
    'reply',
    'store',
    'media',
    'ops',
  ],
  commands: ['app', 'engine', 'port', 'service', 'credits', 'place-settings', 'words'],
  'platforms/console': ['port', 'engine', 'coordination', 'conversation', 'reply', 'words', 'store', 'http'],
  'platforms/discord': [
    'port',
    'engine',
    'coordination',
    'conversation',
    'reply',
    'words',
    'store',
    'media',
    'http',
  ],
  'platforms/slack': ['port', 'engine', 'coordination', 'conversation', 'reply', 'words', 'store', 'http'],
  doctor: ['config', 'service', 'coordination', 'store', 'platforms/discord', 'platforms/slack'],
  'live-check': ['config', 'port', 'store', 'platforms/discord', 'platforms/slack'],
  sandbox: ['media'],
};
/** Tools, the service's description as data, and the safekeeping of secrets. */
export const everywhere = ['service-rules', 'lib', 'secrets'];
/** What puts the parts together, and what a person runs, may import everything. */
export const entries = ['main', 'start', 'scripts'];
