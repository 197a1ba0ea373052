/** `npm run test:all` sets it; the fuzzing and the mutation tests run without. */
export const isLong = process.env.CANDOR_LONG === "1";
