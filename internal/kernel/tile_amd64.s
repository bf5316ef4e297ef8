#include "textflag.h"

// Tiles add fused products, as the code in Go does; multiples are rounded before they are subtracted, as there.

// func subtractTile512(c unsafe.Pointer, stride int, left, right unsafe.Pointer, depth int)
//
// Z0 to Z7 are the sums of the eight columns, Z16 the present rows.

#define COLUMN512(at, sum) \
	VFMADD231PD.BCST at(R9), Z16, sum

#define LEAVE512(sum) \
	VMOVUPD (DI), Z16      \
	VSUBPD  sum, Z16, Z16  \
	VMOVUPD Z16, (DI)      \
	ADDQ    SI, DI

TEXT ·subtractTile512(SB), NOSPLIT, $0-40
	MOVQ   c+0(FP), DI
	MOVQ   stride+8(FP), SI
	MOVQ   left+16(FP), R8
	MOVQ   right+24(FP), R9
	MOVQ   depth+32(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7

inner512:
	VMOVUPD (R8), Z16
	COLUMN512(0, Z0)
	COLUMN512(8, Z1)
	COLUMN512(16, Z2)
	COLUMN512(24, Z3)
	COLUMN512(32, Z4)
	COLUMN512(40, Z5)
	COLUMN512(48, Z6)
	COLUMN512(56, Z7)
	ADDQ    $64, R8
	ADDQ    $64, R9
	DECQ    CX
	JNZ     inner512
	LEAVE512(Z0)
	LEAVE512(Z1)
	LEAVE512(Z2)
	LEAVE512(Z3)
	LEAVE512(Z4)
	LEAVE512(Z5)
	LEAVE512(Z6)
	LEAVE512(Z7)
	VZEROUPPER
	RET

// func subtractHalf256(c unsafe.Pointer, stride int, left, right unsafe.Pointer, depth int)
//
// Eight rows and four columns, two registers for each column: Y0 to Y7.

#define COLUMN256(at, low, high) \
	VBROADCASTSD at(R9), Y10    \
	VFMADD231PD  Y10, Y8, low   \
	VFMADD231PD  Y10, Y9, high

#define LEAVE256(low, high) \
	VMOVUPD (DI), Y8      \
	VMOVUPD 32(DI), Y9    \
	VSUBPD  low, Y8, Y8   \
	VSUBPD  high, Y9, Y9  \
	VMOVUPD Y8, (DI)      \
	VMOVUPD Y9, 32(DI)    \
	ADDQ    SI, DI

TEXT ·subtractHalf256(SB), NOSPLIT, $0-40
	MOVQ   c+0(FP), DI
	MOVQ   stride+8(FP), SI
	MOVQ   left+16(FP), R8
	MOVQ   right+24(FP), R9
	MOVQ   depth+32(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

inner256:
	VMOVUPD (R8), Y8
	VMOVUPD 32(R8), Y9
	COLUMN256(0, Y0, Y1)
	COLUMN256(8, Y2, Y3)
	COLUMN256(16, Y4, Y5)
	COLUMN256(24, Y6, Y7)
	ADDQ    $64, R8
	ADDQ    $64, R9
	DECQ    CX
	JNZ     inner256
	LEAVE256(Y0, Y1)
	LEAVE256(Y2, Y3)
	LEAVE256(Y4, Y5)
	LEAVE256(Y6, Y7)
	VZEROUPPER
	RET

// func subtractMultiple256(a, b unsafe.Pointer, n int, v float64)
TEXT ·subtractMultiple256(SB), NOSPLIT, $0-32
	MOVQ         a+0(FP), DI
	MOVQ         b+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD v+24(FP), Y0

eight:
	CMPQ    CX, $8
	JLT     one
	VMOVUPD (SI), Y1
	VMOVUPD 32(SI), Y2
	VMULPD  Y0, Y1, Y1
	VMULPD  Y0, Y2, Y2
	VMOVUPD (DI), Y3
	VMOVUPD 32(DI), Y4
	VSUBPD  Y1, Y3, Y3
	VSUBPD  Y2, Y4, Y4
	VMOVUPD Y3, (DI)
	VMOVUPD Y4, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $8, CX
	JMP     eight

one:
	TESTQ CX, CX
	JZ    done
	VMOVSD (SI), X1
	VMULSD X0, X1, X1
	VMOVSD (DI), X3
	VSUBSD X1, X3, X3
	VMOVSD X3, (DI)
	ADDQ  $8, SI
	ADDQ  $8, DI
	DECQ  CX
	JMP   one

done:
	VZEROUPPER
	RET

// func turn256(a, b unsafe.Pointer, n int, v float64)
//
// n is a multiple of eight, as it is for addProducts256.
TEXT ·turn256(SB), NOSPLIT, $0-32
	MOVQ         a+0(FP), DI
	MOVQ         b+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD v+24(FP), Y0

turned:
	VMULPD  (DI), Y0, Y1
	VMULPD  32(DI), Y0, Y2
	VADDPD  (SI), Y1, Y1
	VADDPD  32(SI), Y2, Y2
	VMOVUPD Y1, (DI)
	VMOVUPD Y2, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNZ     turned
	VZEROUPPER
	RET

// func addProducts256(a, b, c unsafe.Pointer, n int)
TEXT ·addProducts256(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ c+16(FP), R8
	MOVQ n+24(FP), CX

added:
	VMOVUPD (SI), Y1
	VMOVUPD 32(SI), Y2
	VMULPD  (R8), Y1, Y1
	VMULPD  32(R8), Y2, Y2
	VADDPD  (DI), Y1, Y1
	VADDPD  32(DI), Y2, Y2
	VMOVUPD Y1, (DI)
	VMOVUPD Y2, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, R8
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNZ     added
	VZEROUPPER
	RET
