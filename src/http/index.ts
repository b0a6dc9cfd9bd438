export * from './body-limit.ts';
export * from './from-here.ts';
export * from './remote-address.ts';
export * from './same-text.ts';
export * from './seldom.ts';
