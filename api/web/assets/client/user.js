// What the page says about a user, who may have neither an e-mail address nor a password: some only sign in
// with the account of a provider.

// verified returns the second factors of a user.
/** @param {{ factors?: Factor[] }} user */
export const verified = (user) => (user.factors ?? []).filter((f) => f.status === 'verified');

// isProven returns whether a user has an address that is known to be the user's own.
/** @param {User | null} user */
export const isProven = (user) => !!user?.email && user.user_metadata?.email_verified === true;

// isUnproven returns whether the owner of a user's address has not followed a link yet.
/** @param {User | null} user */
export const isUnproven = (user) => !!user?.email && !isProven(user);

// signsInByMail returns whether a user signs in with an address, and with a password if there is one.
/** @param {User | null} user */
export const signsInByMail = (user) => !!user?.identities?.some((i) => i.provider === 'email');

// providersOfUser returns the ids of the providers whose accounts sign in a user.
/** @param {User | null} user */
export const providersOfUser = (user) =>
  (user?.identities ?? []).map((i) => i.provider).filter((id) => id !== 'email' && id !== 'phone');

// shownName returns the address of a user, or else the name that a provider gave. Users choose such names:
// they may look like the address of somebody else, and are isolated where they are shown.
/** @param {User | null} user */
export const shownName = (user) =>
  user?.email ||
  user?.user_metadata?.full_name ||
  user?.user_metadata?.name ||
  'an account without an e-mail address';
