export * from './body-limit.ts';
export * from './local-request.ts';
export * from './log-throttle.ts';
export * from './remote-address.ts';
export * from './same-secret.ts';
