import React, { useState } from "react";
import { Button } from "@/components/button";

interface Props { label: string; onPay?: () => void }

/** A button that pays. */
export default function PayButton({ label, onPay }: Props): JSX.Element {
  const [busy, setBusy] = useState<boolean>(false);
  return <Button disabled={busy} onClick={() => onPay?.()}>{label}</Button>;
}

export const Card: React.FC<Props> = ({ label }) => <div className="card">{label}</div>;

export const Memo = React.memo(function Memo() { return null; });

export class Panel extends React.Component<Props> {
  state = { open: false };
  render() { return <><Card label="é" /></>; }
}
