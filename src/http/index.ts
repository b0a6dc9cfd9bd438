export { limitBody } from './body-limit.ts';
export * from './local-request.ts';
export * from './log-throttle.ts';
