import { useLayoutEffect, useRef, useState } from 'preact/hooks';

type Errors<Field extends string> = Partial<Record<Field, string>>;

/**
 * What a form knows: what was typed, and what is wrong with it. The first field at fault takes the focus, but for what was
 * wrong when the page came.
 */
export function useForm<Values extends Readonly<Record<keyof Values, string>>>(
  initial: Values,
  idOf: (name: keyof Values & string) => string,
  refused: Errors<keyof Values & string> = {},
) {
  type Name = keyof Values & string;
  const [values, fill] = useState<Values>(initial);
  const [errors, setErrors] = useState<Errors<Name>>(refused);
  const toFocus = useRef<Name | null>(null);

  // After the fields show their errors, so that the error is read with its field.
  useLayoutEffect(() => {
    if (toFocus.current !== null) document.getElementById(idOf(toFocus.current))?.focus();
    toFocus.current = null;
  });

  const show = (found: Errors<Name>): boolean => {
    const [first] = Object.keys(found) as Name[]; // the keys of the form's own fields
    toFocus.current = first ?? null;
    setErrors(found);
    return first !== undefined;
  };
  const change = (name: Name, value: string): void => {
    fill((known) => ({ ...known, [name]: value }));
    setErrors((known) => ({ ...known, [name]: undefined }));
  };
  return { values, errors, show, change, fill };
}
