import type { ComponentChildren } from 'preact';

/** A part of the page under its title. */
export const Part = ({ id, title, children }: { id: string; title: string; children: ComponentChildren }) => (
  <section class="part" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);
