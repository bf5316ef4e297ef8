#include "textflag.h"

// Registers of both: DI what is added to, SI the lines' numbers, R13 their scales, R8 what they are multiplied with, R9
// and R10 their entries, R11 the groups' lengths, R12 how many groups are left.

#define ARGUMENTS \
	MOVQ to+0(FP), DI       \
	MOVQ number+8(FP), SI   \
	MOVQ scale+16(FP), R13  \
	MOVQ from+24(FP), R8    \
	MOVQ index+32(FP), R9   \
	MOVQ coef+40(FP), R10   \
	MOVQ lengths+48(FP), R11 \
	MOVQ groups+56(FP), R12

// PAIR loads two numbers from where the indices at an address say.
#define PAIR(address, at, base, out) \
	MOVLQZX at(address), AX           \
	MOVLQZX (at+4)(address), BX       \
	VMOVSD  (base)(AX*8), out         \
	VMOVHPD (base)(BX*8), out, out

#define STORE(at, pair) \
	MOVLQZX at(SI), AX          \
	MOVLQZX (at+4)(SI), BX      \
	VMOVSD  pair, (DI)(AX*8)    \
	VMOVHPD pair, (DI)(BX*8)

// PRODUCT adds the products of two entries to a pair of sums.
#define PRODUCT(at, term, sums) \
	PAIR(R9, at, R8, term)          \
	VMULPD (2*at)(R10), term, term  \
	VADDPD term, sums, sums

#define SINGLE(at, term, sum) \
	MOVLQZX at(R9), BX             \
	VMOVSD  (R8)(BX*8), term       \
	VMULSD  (2*at)(R10), term, term \
	VADDSD  term, sum, sum

// func addLines8(to, number, scale, from, index, coef, lengths unsafe.Pointer, groups int, anew bool)
TEXT ·addLines8(SB), NOSPLIT, $0-65
	ARGUMENTS
	MOVBLZX anew+64(FP), DX

eight:
	TESTQ   R12, R12
	JZ      done8
	DECQ    R12
	MOVLQSX (R11), CX
	ADDQ    $4, R11
	TESTQ   CX, CX
	JS      one8
	VXORPD  X0, X0, X0
	VXORPD  X1, X1, X1
	VXORPD  X2, X2, X2
	VXORPD  X3, X3, X3
	TESTL   DX, DX
	JNZ     begun8
	PAIR(SI, 0, DI, X0)
	PAIR(SI, 8, DI, X1)
	PAIR(SI, 16, DI, X2)
	PAIR(SI, 24, DI, X3)

begun8:
	TESTQ CX, CX
	JZ    leave8

step8:
	PRODUCT(0, X4, X0)
	PRODUCT(8, X5, X1)
	PRODUCT(16, X6, X2)
	PRODUCT(24, X7, X3)
	ADDQ $32, R9
	ADDQ $64, R10
	DECQ CX
	JNZ  step8

leave8:
	VMULPD (R13), X0, X0
	VMULPD 16(R13), X1, X1
	VMULPD 32(R13), X2, X2
	VMULPD 48(R13), X3, X3
	STORE(0, X0)
	STORE(8, X1)
	STORE(16, X2)
	STORE(24, X3)
	ADDQ   $32, SI
	ADDQ   $64, R13
	JMP    eight

one8:
	NOTQ    CX
	MOVLQZX (SI), AX
	VXORPD  X0, X0, X0
	TESTL   DX, DX
	JNZ     begun1
	VMOVSD  (DI)(AX*8), X0

begun1:
	TESTQ CX, CX
	JZ    leave1

only8:
	SINGLE(0, X4, X0)
	ADDQ $4, R9
	ADDQ $8, R10
	DECQ CX
	JNZ  only8

leave1:
	VMULSD (R13), X0, X0
	VMOVSD X0, (DI)(AX*8)
	ADDQ   $4, SI
	ADDQ   $8, R13
	JMP    eight

done8:
	RET

// func addDots4(to, number, scale, from, index, coef, lengths unsafe.Pointer, groups int)
//
// X0, X2, X4 and X6 are the four sums of two lines, the others those of two more.
TEXT ·addDots4(SB), NOSPLIT, $0-64
	ARGUMENTS

four:
	TESTQ   R12, R12
	JZ      done4
	DECQ    R12
	MOVLQSX (R11), CX
	MOVLQSX 4(R11), DX
	ADDQ    $8, R11
	VXORPD  X0, X0, X0
	VXORPD  X1, X1, X1
	VXORPD  X2, X2, X2
	VXORPD  X3, X3, X3
	VXORPD  X4, X4, X4
	VXORPD  X5, X5, X5
	VXORPD  X6, X6, X6
	VXORPD  X7, X7, X7
	TESTQ   CX, CX
	JS      one4
	JZ      rest4

quad4:
	PRODUCT(0, X8, X0)
	PRODUCT(8, X9, X1)
	PRODUCT(16, X10, X2)
	PRODUCT(24, X11, X3)
	PRODUCT(32, X8, X4)
	PRODUCT(40, X9, X5)
	PRODUCT(48, X10, X6)
	PRODUCT(56, X11, X7)
	ADDQ $64, R9
	ADDQ $128, R10
	DECQ CX
	JNZ  quad4

rest4:
	TESTQ DX, DX
	JZ    leave4

step4:
	PRODUCT(0, X8, X0)
	PRODUCT(8, X9, X1)
	ADDQ $16, R9
	ADDQ $32, R10
	DECQ DX
	JNZ  step4

leave4:
	VADDPD X2, X0, X0
	VADDPD X6, X4, X4
	VADDPD X4, X0, X0
	VADDPD X3, X1, X1
	VADDPD X7, X5, X5
	VADDPD X5, X1, X1
	VMULPD (R13), X0, X0
	VMULPD 16(R13), X1, X1
	PAIR(SI, 0, DI, X8)
	PAIR(SI, 8, DI, X9)
	VADDPD X0, X8, X8
	VADDPD X1, X9, X9
	STORE(0, X8)
	STORE(8, X9)
	ADDQ   $16, SI
	ADDQ   $32, R13
	JMP    four

one4:
	NOTQ  CX
	TESTQ CX, CX
	JZ    last4

only4:
	SINGLE(0, X8, X0)
	SINGLE(4, X9, X2)
	SINGLE(8, X10, X4)
	SINGLE(12, X11, X6)
	ADDQ $16, R9
	ADDQ $32, R10
	DECQ CX
	JNZ  only4

last4:
	TESTQ DX, DX
	JZ    sum4
	SINGLE(0, X8, X0)
	ADDQ  $4, R9
	ADDQ  $8, R10
	DECQ  DX
	JMP   last4

sum4:
	VADDSD  X2, X0, X0
	VADDSD  X6, X4, X4
	VADDSD  X4, X0, X0
	VMULSD  (R13), X0, X0
	MOVLQZX (SI), AX
	VADDSD  (DI)(AX*8), X0, X0
	VMOVSD  X0, (DI)(AX*8)
	ADDQ    $4, SI
	ADDQ    $8, R13
	JMP     four

done4:
	RET

// func combine8(sum, rows, coef, all unsafe.Pointer, n int)
TEXT ·combine8(SB), NOSPLIT, $0-40
	MOVQ   sum+0(FP), DI
	MOVQ   rows+8(FP), R9
	MOVQ   coef+16(FP), R10
	MOVQ   all+24(FP), R8
	MOVQ   n+32(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	TESTQ  CX, CX
	JZ     combined

term:
	MOVLQZX      (R9), AX
	SHLQ         $6, AX
	VBROADCASTSD (R10), Y2
	VMULPD       (R8)(AX*1), Y2, Y3
	VMULPD       32(R8)(AX*1), Y2, Y4
	VADDPD       Y3, Y0, Y0
	VADDPD       Y4, Y1, Y1
	ADDQ         $4, R9
	ADDQ         $8, R10
	DECQ         CX
	JNZ          term

combined:
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VZEROUPPER
	RET
