export * from './body-limit.ts';
export * from './from-here.ts';
export * from './same-text.ts';
