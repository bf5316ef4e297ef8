#include "textflag.h"

// The kernels below keep a tile of C in registers, while they walk once along the inner dimension. All strides are in
// bytes. Rows beyond the last one stand for the last one: they compute and write the same values once more, which costs
// less than a second kernel. The masks leave out columns beyond the last one.

// func tile512(c unsafe.Pointer, ldc int, a unsafe.Pointer, row, column, jump int, b unsafe.Pointer,
//	ldb, inner, segments, rows int, mask uint64)
//
// 8 rows and 32 columns, two registers for each row: Z0 to Z15. R8 to R15 point to the rows of A, and CX is the place
// along them.

// STEP goes to the next row of C, or stays at the last.
#define STEP(i) \
	XORQ    AX, AX       \
	CMPQ    DX, $i       \
	CMOVQGT SI, AX       \
	ADDQ    AX, DI

// POINT makes the next row of A, or the last again.
#define POINT(i, from, to) \
	XORQ    AX, AX       \
	CMPQ    DX, $i       \
	CMOVQGT BX, AX       \
	LEAQ    (from)(AX*1), to

#define LOAD(i, c0, c1) \
	VMOVUPS.Z (DI), K1, c0   \
	VMOVUPS.Z 64(DI), K2, c1 \
	STEP(i)

#define MULTIPLY(a, c0, c1) \
	VBROADCASTSS (a)(CX*1), Z18 \
	VFMADD231PS  Z16, Z18, c0   \
	VFMADD231PS  Z17, Z18, c1

#define STORE(i, c0, c1) \
	VMOVUPS c0, K1, (DI)   \
	VMOVUPS c1, K2, 64(DI) \
	STEP(i)

TEXT ·tile512(SB), NOSPLIT, $0-96
	MOVQ  mask+88(FP), AX
	KMOVW AX, K1
	SHRQ  $16, AX
	KMOVW AX, K2
	MOVQ  rows+80(FP), DX
	MOVQ  a+16(FP), R8
	MOVQ  row+24(FP), BX
	POINT(1, R8, R9)
	POINT(2, R9, R10)
	POINT(3, R10, R11)
	POINT(4, R11, R12)
	POINT(5, R12, R13)
	POINT(6, R13, R14)
	POINT(7, R14, R15)
	MOVQ  c+0(FP), DI
	MOVQ  ldc+8(FP), SI
	LOAD(1, Z0, Z1)
	LOAD(2, Z2, Z3)
	LOAD(3, Z4, Z5)
	LOAD(4, Z6, Z7)
	LOAD(5, Z8, Z9)
	LOAD(6, Z10, Z11)
	LOAD(7, Z12, Z13)
	LOAD(8, Z14, Z15)
	MOVQ  column+32(FP), BX
	MOVQ  b+48(FP), DX
	MOVQ  ldb+56(FP), SI
	MOVQ  segments+72(FP), AX
	XORQ  CX, CX

segment512:
	MOVQ inner+64(FP), DI

inner512:
	VMOVUPS.Z (DX), K1, Z16
	VMOVUPS.Z 64(DX), K2, Z17
	MULTIPLY(R8, Z0, Z1)
	MULTIPLY(R9, Z2, Z3)
	MULTIPLY(R10, Z4, Z5)
	MULTIPLY(R11, Z6, Z7)
	MULTIPLY(R12, Z8, Z9)
	MULTIPLY(R13, Z10, Z11)
	MULTIPLY(R14, Z12, Z13)
	MULTIPLY(R15, Z14, Z15)
	ADDQ BX, CX
	ADDQ SI, DX
	DECQ DI
	JNZ  inner512
	ADDQ jump+40(FP), CX
	DECQ AX
	JNZ  segment512

	MOVQ rows+80(FP), DX
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), SI
	STORE(1, Z0, Z1)
	STORE(2, Z2, Z3)
	STORE(3, Z4, Z5)
	STORE(4, Z6, Z7)
	STORE(5, Z8, Z9)
	STORE(6, Z10, Z11)
	STORE(7, Z12, Z13)
	STORE(8, Z14, Z15)
	VZEROUPPER
	RET

// func tile256(c unsafe.Pointer, ldc int, a unsafe.Pointer, row, column, jump int, b unsafe.Pointer,
//	ldb, inner, segments, rows int, masks *[16]int32)
//
// 4 rows and 16 columns, two registers for each row: Y0 to Y7. R8 to R11 point to the rows of A, Y12 and Y13 are the
// masks.

#define LOAD256(i, c0, c1) \
	VMASKMOVPS (DI), Y12, c0   \
	VMASKMOVPS 32(DI), Y13, c1 \
	STEP(i)

#define MULTIPLY256(a, c0, c1) \
	VBROADCASTSS (a)(CX*1), Y10 \
	VFMADD231PS  Y8, Y10, c0    \
	VFMADD231PS  Y9, Y10, c1

#define STORE256(i, c0, c1) \
	VMASKMOVPS c0, Y12, (DI)   \
	VMASKMOVPS c1, Y13, 32(DI) \
	STEP(i)

TEXT ·tile256(SB), NOSPLIT, $0-96
	MOVQ    masks+88(FP), AX
	VMOVUPS (AX), Y12
	VMOVUPS 32(AX), Y13
	MOVQ    rows+80(FP), DX
	MOVQ    a+16(FP), R8
	MOVQ    row+24(FP), BX
	POINT(1, R8, R9)
	POINT(2, R9, R10)
	POINT(3, R10, R11)
	MOVQ    c+0(FP), DI
	MOVQ    ldc+8(FP), SI
	LOAD256(1, Y0, Y1)
	LOAD256(2, Y2, Y3)
	LOAD256(3, Y4, Y5)
	LOAD256(4, Y6, Y7)
	MOVQ    column+32(FP), BX
	MOVQ    b+48(FP), DX
	MOVQ    ldb+56(FP), SI
	MOVQ    segments+72(FP), AX
	XORQ    CX, CX

segment256:
	MOVQ inner+64(FP), DI

inner256:
	VMASKMOVPS (DX), Y12, Y8
	VMASKMOVPS 32(DX), Y13, Y9
	MULTIPLY256(R8, Y0, Y1)
	MULTIPLY256(R9, Y2, Y3)
	MULTIPLY256(R10, Y4, Y5)
	MULTIPLY256(R11, Y6, Y7)
	ADDQ BX, CX
	ADDQ SI, DX
	DECQ DI
	JNZ  inner256
	ADDQ jump+40(FP), CX
	DECQ AX
	JNZ  segment256

	MOVQ rows+80(FP), DX
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), SI
	STORE256(1, Y0, Y1)
	STORE256(2, Y2, Y3)
	STORE256(3, Y4, Y5)
	STORE256(4, Y6, Y7)
	VZEROUPPER
	RET
