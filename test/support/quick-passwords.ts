/**
 * Loaded before the tests and before their servers: hashes of passwords are real, but take a hundredth of the time.
 * Tests register so many users that hashing would take half of their CPU time.
 */
const { hash } = Bun.password;
Bun.password.hash = (password) => hash(password, { algorithm: 'argon2id', memoryCost: 64, timeCost: 1 });
