import { Copyable } from '../../parts/copyable.tsx';

const ADMIN = 'npm run --silent admin --';

/** A command of operators, to be copied. */
export function Command({ text, name }: { text: string; name: string }) {
  return (
    <p className="command">
      <Copyable text={`${ADMIN} ${text}`} name={name} />
    </p>
  );
}
