import React from 'react';

/** Greets. */
export function Hello({ name }) {
  return <h1>Hello, {name}!</h1>;
}

const Local = () => <Hello name="ö" />;
export default Local;
