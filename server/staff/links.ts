/** A link by which somebody sets up how they sign in. The token stands behind the sign, which no server and no log is told of. */
export const setUpLink = (publicUrl: string, token: string): string => `${publicUrl}/dashboard/setup#${token}`;
