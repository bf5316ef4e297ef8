#include "textflag.h"

// The kernels below go down the columns of a grid of factors and places, once for each line of a patch. DX points to the
// walk, DI to the line of the matrix, SI to where this line of the patch at place 0 is, and R8 and R9 to factors and
// places; R11 and R12 say how far along them the column and the place are.

#define ARGUMENTS \
	MOVQ image+8(FP), SI    \
	MOVQ factors+16(FP), R8 \
	MOVQ places+24(FP), R9  \
	MOVQ w+32(FP), DX       \
	MOVQ 16(DX), R13        \
	MOVQ 32(DX), R10

#define FIRSTCOLUMN \
	MOVQ 8(DX), CX \
	XORQ R11, R11

#define FIRSTROW \
	MOVQ (DX), BX  \
	MOVQ R11, R12

// PATCH makes AX where the line of the patch is.
#define PATCH \
	MOVLQSX (R9)(R12*1), AX \
	LEAQ    (SI)(AX*4), AX

#define NEXTROW(label) \
	ADDQ R13, R12 \
	DECQ BX       \
	JNZ  label

#define NEXTCOLUMN(label) \
	ADDQ 24(DX), R11 \
	DECQ CX          \
	JNZ  label

#define NEXTLINE(label) \
	ADDQ 40(DX), SI \
	ADDQ 48(DX), DI \
	DECQ R10        \
	JNZ  label      \
	VZEROUPPER      \
	RET

#define MASKS512 \
	MOVQ  56(DX), AX \
	KMOVW AX, K1     \
	SHRQ  $16, AX    \
	KMOVW AX, K2     \
	SHRQ  $16, AX    \
	KMOVW AX, K3     \
	SHRQ  $16, AX    \
	KMOVW AX, K4     \
	MOVQ  64(DX), AX \
	KMOVW AX, K5     \
	SHRQ  $16, AX    \
	KMOVW AX, K6

#define LOAD512 \
	VMOVUPS.Z (DI), K1, Z0    \
	VMOVUPS.Z 64(DI), K2, Z1  \
	VMOVUPS.Z 128(DI), K3, Z2 \
	VMOVUPS.Z 192(DI), K4, Z3 \
	VMOVUPS.Z 256(DI), K5, Z4 \
	VMOVUPS.Z 320(DI), K6, Z5

// func gather512(sums, image, factors, places unsafe.Pointer, w *walk)
TEXT ·gather512(SB), NOSPLIT, $0-40
	MOVQ sums+0(FP), DI
	ARGUMENTS
	MASKS512

line:
	LOAD512
	FIRSTCOLUMN

column:
	FIRSTROW

row:
	PATCH
	VBROADCASTSS (R8)(R12*1), Z6
	VFMADD231PS  (AX), Z6, K1, Z0
	VFMADD231PS  64(AX), Z6, K2, Z1
	VFMADD231PS  128(AX), Z6, K3, Z2
	VFMADD231PS  192(AX), Z6, K4, Z3
	VFMADD231PS  256(AX), Z6, K5, Z4
	VFMADD231PS  320(AX), Z6, K6, Z5
	NEXTROW(row)
	NEXTCOLUMN(column)
	VMOVUPS Z0, K1, (DI)
	VMOVUPS Z1, K2, 64(DI)
	VMOVUPS Z2, K3, 128(DI)
	VMOVUPS Z3, K4, 192(DI)
	VMOVUPS Z4, K5, 256(DI)
	VMOVUPS Z5, K6, 320(DI)
	NEXTLINE(line)

#define ADD512(at, mask, weights) \
	VMOVUPS.Z   at(AX), mask, Z7  \
	VFMADD231PS weights, Z6, Z7   \
	VMOVUPS     Z7, mask, at(AX)

// func scatter512(weights, image, factors, places unsafe.Pointer, w *walk)
TEXT ·scatter512(SB), NOSPLIT, $0-40
	MOVQ weights+0(FP), DI
	ARGUMENTS
	MASKS512

line:
	LOAD512
	FIRSTCOLUMN

column:
	FIRSTROW

row:
	PATCH
	VBROADCASTSS (R8)(R12*1), Z6
	ADD512(0, K1, Z0)
	ADD512(64, K2, Z1)
	ADD512(128, K3, Z2)
	ADD512(192, K4, Z3)
	ADD512(256, K5, Z4)
	ADD512(320, K6, Z5)
	NEXTROW(row)
	NEXTCOLUMN(column)
	NEXTLINE(line)

#define MASKS256 \
	VMOVUPS 88(DX), Y12  \
	VMOVUPS 120(DX), Y13 \
	VMOVUPS 152(DX), Y14 \
	VMOVUPS 184(DX), Y15

#define LOAD256 \
	VMASKMOVPS (DI), Y12, Y0   \
	VMASKMOVPS 32(DI), Y13, Y1 \
	VMASKMOVPS 64(DI), Y14, Y2 \
	VMASKMOVPS 96(DI), Y15, Y3

#define SUM256(at, mask, sum) \
	VMASKMOVPS  at(AX), mask, Y7 \
	VFMADD231PS Y7, Y6, sum

// func gather256(sums, image, factors, places unsafe.Pointer, w *walk)
TEXT ·gather256(SB), NOSPLIT, $0-40
	MOVQ sums+0(FP), DI
	ARGUMENTS
	MASKS256

line:
	LOAD256
	FIRSTCOLUMN

column:
	FIRSTROW

row:
	PATCH
	VBROADCASTSS (R8)(R12*1), Y6
	SUM256(0, Y12, Y0)
	SUM256(32, Y13, Y1)
	SUM256(64, Y14, Y2)
	SUM256(96, Y15, Y3)
	NEXTROW(row)
	NEXTCOLUMN(column)
	VMASKMOVPS Y0, Y12, (DI)
	VMASKMOVPS Y1, Y13, 32(DI)
	VMASKMOVPS Y2, Y14, 64(DI)
	VMASKMOVPS Y3, Y15, 96(DI)
	NEXTLINE(line)

// func scatter256(weights, image, factors, places unsafe.Pointer, w *walk)
//
// What fills registers is written without a mask, with which some processors take twenty times as long.
TEXT ·scatter256(SB), NOSPLIT, $0-40
	MOVQ    weights+0(FP), DI
	ARGUMENTS
	MOVQ    80(DX), AX
	NEGQ    AX
	LEAQ    ·window+32(SB), R14
	VMOVUPS (R14)(AX*4), Y12

line:
	FIRSTCOLUMN

column:
	FIRSTROW

row:
	PATCH
	VBROADCASTSS (R8)(R12*1), Y6
	XORQ         R14, R14
	MOVQ         72(DX), R15
	TESTQ        R15, R15
	JEQ          rest

whole:
	VMOVUPS     (AX)(R14*1), Y7
	VFMADD231PS (DI)(R14*1), Y6, Y7
	VMOVUPS     Y7, (AX)(R14*1)
	ADDQ        $32, R14
	DECQ        R15
	JNZ         whole

rest:
	CMPQ        80(DX), $0
	JEQ         next
	VMASKMOVPS  (AX)(R14*1), Y12, Y7
	VMASKMOVPS  (DI)(R14*1), Y12, Y8
	VFMADD231PS Y8, Y6, Y7
	VMASKMOVPS  Y7, Y12, (AX)(R14*1)

next:
	NEXTROW(row)
	NEXTCOLUMN(column)
	NEXTLINE(line)
