/**
 * Whether this run is `npm run test:long`, in which tests that try many of the same, such as random values or
 * combinations, try more of them; `npm test` has enough of them to show each behavior.
 */
export const isLong = process.env.LONG_FORM === 'on';
