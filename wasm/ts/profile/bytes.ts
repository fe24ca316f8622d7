// Integers and texts of a profile's bytes, as docs/format.md has them; what is wrong, and at which byte.

/** A whole number: a bigint where a number can't hold it exactly, from 2^53 on. */
export type Whole = number | bigint;

/** Bytes are no profile: the message says why and at which byte; `offset` is that byte. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
  /** The offset of the byte where the fault begins. */
  readonly offset: number;

  /** @internal */
  constructor(fault: string, offset: number) {
    super(`at byte ${offset}: ${fault}`);
    this.offset = offset;
  }
}

const TEXT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const whole = (value: bigint): Whole => (value >> 53n ? value : Number(value));

/** @internal A run of bytes being read. No count is believed before it is held against what is left. */
export class Reader {
  readonly _bytes: Uint8Array;
  _at: number;
  readonly _end: number;

  constructor(bytes: Uint8Array, at: number, end: number) {
    this._bytes = bytes;
    this._at = at;
    this._end = end;
  }

  get _left(): number {
    return this._end - this._at;
  }

  /** An integer of so many bits, in its shortest form. */
  _number(field: string, bits = 64): Whole {
    const start = this._at;
    const most = Math.ceil(bits / 7);
    let length = 0;
    do {
      if (length === most) this._wrongInteger(field);
      if (start + length >= this._end) throw new ProfileError(`the bytes end inside ${field}`, start);
    } while (this._bytes[start + length++]! > 127);
    if (length > 1 && this._bytes[start + length - 1] === 0) this._wrongInteger(field);
    let value: Whole = 0;
    for (let i = length; i-- > 0;) {
      const part = this._bytes[start + i]! & 127;
      value = length < 8 ? (value as number) * 128 + part : (BigInt(value) << 7n) | BigInt(part);
    }
    if (BigInt(value) >> BigInt(bits)) this._wrongInteger(field);
    this._at += length;
    return typeof value === "bigint" ? whole(value) : value;
  }

  /** An integer below 2^53 and below `limit`. */
  _index(field: string, limit = 2 ** 32): number {
    const start = this._at;
    const value = Number(this._number(field, 32));
    if (value >= limit) this._wrongValue(field, start);
    return value;
  }

  /** A number of items that take at least so many bytes each. */
  _count(field: string, least: number): number {
    const start = this._at;
    const value = Number(this._number(field));
    if (value > Math.floor(this._left / least) || value >= 2 ** 32) {
      throw new ProfileError(`${field} is more than the remaining bytes can hold`, start);
    }
    return value;
  }

  _text(field: string): string {
    const start = this._at;
    const length = Number(this._number(field));
    if (length > this._left) throw new ProfileError(`the bytes end inside ${field}`, start);
    const from = this._at;
    this._at += length;
    try {
      return TEXT.decode(this._bytes.subarray(from, this._at));
    } catch {
      throw new ProfileError(`${field} is not UTF-8`, from);
    }
  }

  /** The other end of a difference that may be negative, modulo 2^64. */
  _difference(from: Whole, field: string): Whole {
    const folded = this._number(field);
    if (typeof folded === "number" && typeof from === "number") {
      const sum = from + (folded % 2 ? -(folded + 1) / 2 : folded / 2);
      if (sum >= 0 && sum <= Number.MAX_SAFE_INTEGER) return sum;
    }
    const wide = BigInt(folded);
    return whole(BigInt.asUintN(64, BigInt(from) + (wide & 1n ? -(wide + 1n) / 2n : wide / 2n)));
  }

  /** The next bytes as a reader of their own. */
  _part(length: number): Reader {
    const from = this._at;
    this._at += length;
    return new Reader(this._bytes, from, this._at);
  }

  /** Nothing may be left. */
  _done(block: string): void {
    if (this._left > 0) {
      throw new ProfileError(`the block '${block}' goes on behind its last field`, this._at);
    }
  }

  _wrongInteger(field: string): never {
    throw new ProfileError(`${field} is no integer of its size in shortest form`, this._at);
  }

  _wrongValue(field: string, at: number): never {
    throw new ProfileError(`${field} has a value that it can't have`, at);
  }
}

let table: Uint32Array | undefined;

/** @internal CRC-32 as zlib and PNG have it. */
export function checksum(bytes: Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let sum = index;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
    return sum;
  });
  let sum = -1;
  for (const byte of bytes) sum = table[(sum ^ byte) & 255]! ^ (sum >>> 8);
  return ~sum >>> 0;
}
