#include "textflag.h"

// func elu8(values unsafe.Pointer, n int, constants *[11]float32)
//
// The steps are those of eluPortably. Of minima and maxima with a NaN, the instructions return the first operand
// written here, and so the value: no NaN is lost.
TEXT ·elu8(SB), NOSPLIT, $0-24
	MOVQ         values+0(FP), DI
	MOVQ         n+8(FP), CX
	MOVQ         constants+16(FP), SI
	VBROADCASTSS 0(SI), Y6
	VBROADCASTSS 4(SI), Y7
	VBROADCASTSS 8(SI), Y8
	VBROADCASTSS 12(SI), Y9
	VBROADCASTSS 20(SI), Y10
	VBROADCASTSS 24(SI), Y11
	VBROADCASTSS 28(SI), Y12
	VBROADCASTSS 32(SI), Y13
	VBROADCASTSS 36(SI), Y14
	VBROADCASTSS 40(SI), Y15
	VXORPS       Y4, Y4, Y4

loop:
	VMOVUPS      (DI), Y0
	VMINPS       Y0, Y4, Y2  // x = max(−30, min(v, 0))
	VMAXPS       Y2, Y6, Y2
	VMULPS       Y2, Y7, Y1  // n = the whole number next to x/ln 2
	VROUNDPS     $0, Y1, Y1
	VFNMADD231PS Y8, Y1, Y2  // r = x − n·ln 2
	VFNMADD231PS Y9, Y1, Y2
	VBROADCASTSS 16(SI), Y3  // p(r)
	VFMADD213PS  Y10, Y2, Y3
	VFMADD213PS  Y11, Y2, Y3
	VFMADD213PS  Y12, Y2, Y3
	VFMADD213PS  Y13, Y2, Y3
	VFMADD213PS  Y14, Y2, Y3
	VMULPS       Y2, Y2, Y5  // e^r − 1 = r + r²·p(r)
	VFMADD213PS  Y2, Y5, Y3
	VCVTPS2DQ    Y1, Y1      // 2^n: n is added to the exponent of 1
	VPSLLD       $23, Y1, Y1
	VPADDD       Y15, Y1, Y1
	VSUBPS       Y15, Y1, Y5
	VFMADD213PS  Y5, Y1, Y3  // 2^n·(e^r − 1) + (2^n − 1)
	VMAXPS       Y0, Y4, Y0
	VADDPS       Y3, Y0, Y0
	VMOVUPS      Y0, (DI)
	ADDQ         $32, DI
	SUBQ         $8, CX
	JNZ          loop
	VZEROUPPER
	RET

// func descendELU8(gradient, y unsafe.Pointer, n int)
TEXT ·descendELU8(SB), NOSPLIT, $0-24
	MOVQ         gradient+0(FP), DI
	MOVQ         y+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVL         $0x3f800000, AX // 1
	VMOVD        AX, X3
	VBROADCASTSS X3, Y3
	MOVL         $0x1e3ce508, AX // 1e-20
	VMOVD        AX, X5
	VBROADCASTSS X5, Y5
	VPCMPEQD     Y6, Y6, Y6      // all bits but the sign
	VPSRLD       $1, Y6, Y6
	VXORPS       Y4, Y4, Y4

loop:
	VMOVUPS (SI), Y0
	VMINPS  Y0, Y4, Y0
	VADDPS  Y3, Y0, Y0
	VMULPS  (DI), Y0, Y0
	VANDPS  Y6, Y0, Y1
	VCMPPS  $0x15, Y5, Y1, Y1 // not less than 1e-20
	VANDPS  Y1, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, DI
	ADDQ    $32, SI
	SUBQ    $8, CX
	JNZ     loop
	VZEROUPPER
	RET

// func maxima8(best, which, values unsafe.Pointer, n int, k int32, mask *int32)
TEXT ·maxima8(SB), NOSPLIT, $0-48
	MOVQ         best+0(FP), DI
	MOVQ         which+8(FP), SI
	MOVQ         values+16(FP), DX
	MOVQ         n+24(FP), CX
	MOVL         k+32(FP), AX
	VMOVD        AX, X4
	VPBROADCASTD X4, Y4
	MOVQ         mask+40(FP), AX
	JMP          test

loop:
	VMOVUPS   (DI), Y0
	VMOVUPS   (DX), Y1
	VMOVUPS   (SI), Y3
	VCMPPS    $0x1e, Y0, Y1, Y2 // values > best
	VBLENDVPS Y2, Y1, Y0, Y0
	VBLENDVPS Y2, Y4, Y3, Y3
	VMOVUPS   Y0, (DI)
	VMOVUPS   Y3, (SI)
	ADDQ      $32, DI
	ADDQ      $32, SI
	ADDQ      $32, DX
	SUBQ      $8, CX

test:
	CMPQ CX, $8
	JGT  loop

	VMOVUPS    (AX), Y5
	VMASKMOVPS (DI), Y5, Y0
	VMASKMOVPS (DX), Y5, Y1
	VMASKMOVPS (SI), Y5, Y3
	VCMPPS     $0x1e, Y0, Y1, Y2
	VBLENDVPS  Y2, Y1, Y0, Y0
	VBLENDVPS  Y2, Y4, Y3, Y3
	VMASKMOVPS Y0, Y5, (DI)
	VMASKMOVPS Y3, Y5, (SI)
	VZEROUPPER
	RET

// func addMultiple8(a, b unsafe.Pointer, n int, v float32)
TEXT ·addMultiple8(SB), NOSPLIT, $0-28
	MOVQ         a+0(FP), DI
	MOVQ         b+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS v+24(FP), Y0
	SHLQ         $2, CX
	ADDQ         CX, DI
	ADDQ         CX, SI
	NEGQ         CX

eight:
	VMULPS  (SI)(CX*1), Y0, Y1
	VADDPS  (DI)(CX*1), Y1, Y1
	VMOVUPS Y1, (DI)(CX*1)
	ADDQ    $32, CX
	JNZ     eight
	VZEROUPPER
	RET

// func addRows8(sums, matrix unsafe.Pointer, stride int, rows, shares unsafe.Pointer, n int)
TEXT ·addRows8(SB), NOSPLIT, $0-48
	MOVQ    sums+0(FP), DI
	MOVQ    matrix+8(FP), SI
	MOVQ    stride+16(FP), DX
	MOVQ    rows+24(FP), R8
	MOVQ    shares+32(FP), R9
	MOVQ    n+40(FP), CX
	VMOVUPS (DI), Y1
	LEAQ    (R8)(CX*4), R8
	LEAQ    (R9)(CX*4), R9
	NEGQ    CX

row:
	MOVLQSX      (R8)(CX*4), AX
	IMULQ        DX, AX
	VBROADCASTSS (R9)(CX*4), Y0
	VMULPS       (SI)(AX*1), Y0, Y0
	VADDPS       Y0, Y1, Y1
	INCQ         CX
	JNZ          row
	VMOVUPS      Y1, (DI)
	VZEROUPPER
	RET
